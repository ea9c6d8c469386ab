"""files.*: the three-step upload with real bytes."""

from sandbox.slack.backend import UploadedFile
from sandbox.slack.method import Call
from sandbox.slack.methods.chat import thread_of
from sandbox.slack.methods.conversations import page
from sandbox.slack.refusal import Json, Refused, invalid_arguments

ALT_TEXT_LIMIT = 1000


def shape(file: UploadedFile, call: Call) -> Json:
    """The file object."""
    base = call.backend.base_url
    name = file.name.rsplit(".", 1)
    return {
        "id": file.id,
        "created": file.created,
        "name": file.name,
        "title": file.title or file.name,
        "filetype": name[1].lower() if len(name) > 1 else "text",
        "size": file.length,
        "mode": "hosted",
        "user": call.backend.app.bot_user,
        "alt_txt": file.alt_text,
        "url_private": f"{base}/files-pri/{file.id}",
        "url_private_download": f"{base}/files-pri/{file.id}?download=1",
        "channels": list(file.channels),
    }


def get_upload_url(call: Call) -> Json:
    """files.getUploadURLExternal."""
    try:
        length = int(call.args["length"])
    except (TypeError, ValueError):
        raise invalid_arguments("length must be a number") from None
    if length < 1:
        raise invalid_arguments("must be greater than 0 [json-pointer:/length]")
    alt_text = call.text("alt_txt") or ""
    if len(alt_text) > ALT_TEXT_LIMIT:
        raise Refused("alt_txt_too_large")
    file = UploadedFile(call.backend.new_id("F"), str(call.args["filename"]), length, alt_text=alt_text)
    call.backend.files[file.id] = file
    return {"ok": True, "file_id": file.id, "upload_url": f"{call.backend.base_url}/upload/v1/{file.id}"}


def complete_upload(call: Call) -> Json:
    """files.completeUploadExternal: makes the files real and, with a channel, shares them in one message."""
    listed = call.items("files", "invalid_arguments")
    if not listed:
        raise invalid_arguments("files must not be empty")
    done = [_uploaded(call, item) for item in listed]
    channels = [c for c in (call.text("channel_id") or call.text("channels") or "").split(",") if c]
    if call.args.get("thread_ts") and len(channels) > 1:
        raise invalid_arguments("thread_ts takes one channel")
    places = [call.backend.writable_channel(channel) for channel in channels]
    threads = [thread_of(call, place) for place in places]
    for file, item in zip(done, listed, strict=True):
        file.complete, file.title, file.created = True, str(item.get("title") or file.name), int(call.backend.clock.now())
        file.channels = [place.id for place in places]
    for place, thread in zip(places, threads, strict=True):
        shapes = [shape(file, call) for file in done]
        comment = call.text("initial_comment") or ""
        call.backend.add(call.backend.app_message(place.id, comment, [], files=shapes, thread_ts=thread))
    call.backend.touched()
    return {"ok": True, "files": [shape(file, call) for file in done]}


def _uploaded(call: Call, item: Json) -> UploadedFile:
    file = call.backend.files.get(str(item.get("id")))
    if file is None or file.content is None:
        raise Refused("file_not_found")
    return file


def info(call: Call) -> Json:
    """files.info."""
    file = call.backend.files.get(str(call.args["file"]))
    if file is None or not file.complete:
        raise Refused("file_not_found")
    _, following = page(call, [], 100, 1000)
    return {"ok": True, "file": shape(file, call), "comments": [], "response_metadata": following}


METHODS = {
    "files.getUploadURLExternal": get_upload_url,
    "files.completeUploadExternal": complete_upload,
    "files.info": info,
}
