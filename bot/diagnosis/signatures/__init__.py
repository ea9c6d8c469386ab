"""All failure signatures. To add one: write it in the file of its topic and give its test a recorded or documented sample."""

from bot.diagnosis.findings import Signature
from bot.diagnosis.signatures import access, engine, machine, memory, model, requests

SIGNATURES: tuple[Signature, ...] = (
    *memory.SIGNATURES,
    *access.SIGNATURES,
    *machine.SIGNATURES,
    *model.SIGNATURES,
    *engine.SIGNATURES,
    *requests.SIGNATURES,
)
