# One image for web, worker and clock: `docker run IMAGE web`.

FROM python:3.12-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
WORKDIR /src
# Every line of constraints.txt has a hash, so pip refuses whatever has not been seen before.
COPY constraints.txt ./
RUN /venv/bin/python -m pip install --require-hashes --only-binary :all: -r constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY evals evals
COPY handlers handlers
COPY jobs jobs
COPY prompts prompts
RUN /venv/bin/python -m pip install --no-deps --no-build-isolation . \
    && /venv/bin/python -m pip uninstall --yes setuptools pip

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /app gemma
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TZ=UTC
WORKDIR /app
USER gemma
# The list of fonts is made once here, and not at every start.
RUN python -c "import matplotlib.font_manager"
# For web. clock answers on METRICS_PORT instead; worker has no port: it ends when it cannot go on.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ.get('HEALTH_PORT', '8080') + '/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["gemma"]
CMD ["web"]
