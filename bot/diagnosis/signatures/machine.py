"""Failures of the machine under the engine: the chip is taken or missing, the machine was taken away, a port is in use."""

from bot.diagnosis.findings import SERVING, START_FAILED, Signature, figure, sign

SIGNATURES = (
    Signature(
        name="tpu_in_use",
        title="another process holds the TPU, most likely an old container",
        must=sign(
            "the TPU is taken",
            r"TPU is already in use|libtpu\S{0,20} (?:is )?already in use|/dev/(?:vfio"
            r"|accel)\S{0,20}.{0,40}(?:busy|in use)|Couldn't open iommu group"
            r"|libtpu_lockfile",
        ),
        signs=(
            sign(
                "the TPU could not be initialised",
                r"TPU initialization failed|Unable to initialize backend|initialize TPU system|ABORTED|No accelerator",
            ),
            START_FAILED,
        ),
        figures=(figure(r"process with pid (?P<pid>\d+)"), figure(r"(?P<device>/dev/(?:vfio|accel)[/\w]{0,12})")),
        any_level=True,
        check="On the machine: `docker ps` and `sudo lsof -w /dev/vfio/* /dev/accel*`.",
        next_step="Stop the other container (`docker rm -f`) and start again; if nothing holds it, restart the machine.",
        source="vllm-project/tpu-inference PR#1866, jax-ml/jax#10192, marin-community/marin#4675",
    ),
    Signature(
        name="tpu_missing",
        title="the engine sees no TPU",
        must=sign(
            "no TPU was found",
            r"Failed to detect number of TPUs|No such file or directory: '?/dev/(?:vfio"
            r"|accel)|No (?:GPU/)?TPU found|no TPU devices|No accelerator found"
            r"|Unable to initialize backend 'tpu'|Failed to get global TPU topology|num_chips=0",
        ),
        signs=(START_FAILED, sign("the container cannot see devices", r"/dev/(?:vfio|accel)|privileged")),
        check="On the machine: `ls /dev/vfio /dev/accel*`; was the container started with --privileged?",
        next_step="Start the container with --privileged; if the machine itself has no device, restart or replace it.",
        source="jax-ml/jax#13260; recorded log v5e1_bench_c1024_u64",
    ),
    Signature(
        name="preempted",
        title="Google took the machine away (preemption, end of its run time or maintenance)",
        must=sign(
            "the machine was taken",
            r"(?:instance|machine|\bVM|node|TPU)\b.{0,60}\bpreempted|preempted (?:instance"
            r"|machine|VM|node)|preemption notice|instances\.(?:preempted|hostError)"
            r"|(?:TERMINATE|host) ?_?ON_HOST_MAINTENANCE"
            r"|maintenance[ -_]event.{0,40}(?:terminat|start|begin)|UNHEALTHY_MAINTENANCE"
            r"|instance (?:was|is being) terminated|(?:reached|exceeded) .{0,20}max(?:imum)? run duration",
        ),
        signs=(sign("the system shut down", r"SIGTERM|shutting down|Stopping|shutdown|terminat"), SERVING),
        any_level=True,
        fatal=True,
        check="Look at the machine's state and at how it was bought: spot can go at any time, flex-start at its end.",
        next_step="Find capacity again; for a machine that stays, use flex-start or on-demand.",
        source="skypilot#1468 (a preempted machine is not always reported as such)",
    ),
    Signature(
        name="container_exists",
        title="a container of that name already exists",
        must=sign("the name is taken", r"container name .{1,100} is already in use"),
        signs=(sign("docker said so", r"docker|daemon|Conflict"),),
        figures=(figure(r"container name [\"'/]{0,3}(?P<container>[\w.\-]{1,100})"),),
        any_level=True,
        check="On the machine: `docker ps -a`. Does the old container still serve?",
        next_step="Remove the old container (`docker rm -f` and its name) when nobody uses it, then start again.",
        source="docker run: Conflict",
    ),
    Signature(
        name="docker_unavailable",
        title="docker does not run on the machine",
        must=sign(
            "no docker",
            r"Cannot connect to the Docker daemon|docker: (?:command )?not found|docker\.sock.{0,60}permission denied"
            r"|permission denied .{0,60}docker",
        ),
        signs=(sign("the socket is named", r"docker\.sock|daemon"),),
        any_level=True,
        check="On the machine: `systemctl status docker`. The Compute Engine TPU image has no docker.",
        next_step="Install docker.io (`apt-get install docker.io`) or start it; then start again.",
        source="xbill9/gemma4-dev, August 2026 (the Compute Engine image comes without docker)",
    ),
    Signature(
        name="port_in_use",
        title="the port is in use: another server runs on it",
        must=sign("address in use", r"address already in use|\[Errno 98\]|port is already allocated|Bind for \S{1,60} failed"),
        signs=(sign("the server was binding", r"bind|listen|port|address|8000"),),
        figures=(figure(r"(?:port |0\.0\.0\.0['\",: ]{1,4}|:::?|127\.0\.0\.1['\",: ]{1,4})(?P<port>\d{2,5})"),),
        any_level=True,
        check="On the machine: `docker ps` and `ss -ltnp | grep 8000`.",
        next_step="Stop the old server or choose another --port.",
        source="operating system error 98 (EADDRINUSE)",
    ),
)
