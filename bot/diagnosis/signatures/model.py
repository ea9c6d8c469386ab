"""Failures of this model with this build and these flags."""

from bot.diagnosis.findings import COMPILING, LOADING, START_FAILED, Signature, figure, sign

_ARCHITECTURE = figure(r"(?P<architecture>\w{2,60}For(?:ConditionalGeneration|CausalLM|\w{2,30}))")
_PARAMETER = figure(r"parameter named '(?P<parameter>[\w.]{1,160})'")
_QUANTISED = sign(
    "quantisation was on",
    r"qwix|['\"]quantization['\"]: ?[{'\"]|[ -]quantization[= ]['\"]?(?!None)\w|\b(?:gptq|awq|compressed.tensors)\b",
)
_NO_PLACE = sign(
    "a weight has no place",
    r"There is no module or parameter named|no (?:module|parameter) .{1,160}\(?JaxLinear"
    r"|unexpected key.{0,40}state_dict|size mismatch for|shape mismatch.{0,80}weight",
)
_MODEL_TYPE = figure(r"model type ['\"`]?(?P<model_type>[\w\-]{2,60})")

SIGNATURES = (
    Signature(
        name="transformers_too_old",
        title="the image's transformers library is too old for this model",
        must=sign(
            "the model type is unknown",
            r"Transformers does not recognize this architecture|(?:KeyError|does not recognize).{0,20}['\"`]gemma4\w*"
            r"|transformers.{0,60}(?:too old|upgrade|out of date"
            r"|requires? (?:at least )?(?:version )?>=)|install transformers.{0,30}(?:--upgrade|>=)",
        ),
        signs=(sign("it was this model's type", r"model type|gemma4"), START_FAILED),
        figures=(_MODEL_TYPE,),
        check=(
            "Which image tag runs? Gemma 4 needs vLLM 0.19 or later; the 12B (gemma4_unified) needs transformers 5.10 or later."
        ),
        next_step="Take a newer image and start again.",
        source="llm-d#1864 (v0.18.0 has no Gemma 4), timothystewart6/vllm-gb10#97, sglang#27261",
    ),
    Signature(
        name="transformers_incompatible",
        title="the image's transformers library and vLLM do not go together for this model",
        must=sign(
            "the model's configuration could not be read",
            r"AttributeError.{0,120}(?:Gemma4\w*Config|head_dim|global_head_dim)|'Tensor' (?:object )?has no attribute '_elem'"
            r"|cannot import name .{1,120} from ['\"]?transformers|No module named ['\"]transformers",
        ),
        signs=(sign("the model was being built", r"head_dim|config|_elem|transformers"), START_FAILED),
        check="Which image tag runs, and does another tag of the same week behave the same?",
        next_step="Pin an image known to serve this model and start again.",
        source="inference-atlas#14 (0.27.1 with transformers 5.15), vllm-project/vllm#43239 (E4B on v6e-1)",
    ),
    Signature(
        name="quantisation",
        title="the quantised weights do not match the model the engine built",
        must=sign(
            "a weight has no place",
            rf"{_NO_PLACE.expression.pattern}|(?:qwix|quantiz\w+).{{0,120}}(?:not supported|unsupported|failed|mismatch|invalid)"
            r"|Unknown quantization method|Quantization method .{1,60}not supported",
        ),
        signs=(_QUANTISED, LOADING, START_FAILED),
        figures=(_PARAMETER, _ARCHITECTURE),
        after=_QUANTISED,
        check="Which quantisation was asked for (additional_config, --quantization)? Does the start work without it?",
        next_step="Start without quantisation, or with a checkpoint that is already quantised and known to load on TPU.",
        source="recorded log v5e1_qwix_fail (E2B with qwix int8 on v5e-1)",
    ),
    Signature(
        name="weights_mismatch",
        title="the checkpoint's weights do not match the model the engine built",
        must=_NO_PLACE,
        signs=(LOADING, START_FAILED),
        figures=(_PARAMETER, _ARCHITECTURE),
        check="Is the image made for this model on this chip? Compare with the recipe of the model.",
        next_step="Take the image and flags of the model's recipe, or a checkpoint known to load on TPU.",
        source="vllm-project/tpu-inference#2453 (26B-A4B on v5e fails while loading weights)",
        generic=True,
    ),
    Signature(
        name="architecture_unsupported",
        title="this build of vLLM cannot serve this model's architecture",
        must=sign(
            "the architecture is not supported",
            r"Model architectures? .{1,200}(?:not supported|failed to be inspected)"
            r"|(?:not supported|unsupported).{0,40}architecture"
            r"|has no (?:vLLM|flax|JAX) implementation|No model architectures are specified"
            r"|Cannot find model module|UnsupportedArchitecture",
        ),
        signs=(sign("an architecture is named", r"For(?:ConditionalGeneration|CausalLM)|architecture"), START_FAILED),
        figures=(_ARCHITECTURE,),
        check="Does this image's release list the model? v0.18.0 lacks Gemma 4, the 12B came later than the others.",
        next_step="Take a newer image, or MODEL_IMPL_TYPE=vllm when only the JAX version is missing.",
        source="llm-d#1864, vllm-project/vllm#46967 (12B unified)",
    ),
    Signature(
        name="context_too_long",
        title="the wanted context is longer than the model allows",
        must=sign(
            "context above the model's own",
            r"max_model_len\)? ?\(?[\d,]+\)? is greater than the derived"
            r"|User-specified max_model_len|max_position_embeddings=?[\d,]+.{0,60}(?:exceed|greater)"
            r"|VLLM_ALLOW_LONG_MAX_MODEL_LEN",
        ),
        signs=(
            sign("the model's limit is named", r"derived max_model_len|max_position_embeddings|model_max_length"),
            START_FAILED,
        ),
        figures=(
            figure(r"max_model_len\)? ?\(?(?P<wanted_tokens>[\d,]+)\)? is greater"),
            figure(r"(?:max_position_embeddings=|derived max_model_len \()(?P<possible_tokens>[\d,]+)"),
        ),
        check="E2B and E4B allow 131,072 tokens, the larger Gemma 4 models 262,144.",
        next_step="Set --max-model-len to at most the model's own context.",
        source="vLLM's check of --max-model-len; config.json of the Gemma 4 models",
    ),
    Signature(
        name="tensor_parallel",
        title="the model cannot be split over that many chips",
        must=sign(
            "the split does not work out",
            r"(?:heads|dimension|size)\b.{0,120}(?:must be|should be|not) (?:evenly )?divisible|Insufficient devices for"
            r"|tensor.parallel.{0,60}(?:greater|larger|more) than .{0,40}(?:devices|chips)|should be divisible by \d+",
        ),
        signs=(sign("the split is named", r"tensor[_ -]parallel|mesh|shard|divisible"), START_FAILED),
        figures=(
            figure(r"tensor_parallel_size'?[=:] ?(?P<tensor_parallel>\d+)"),
            figure(r"found (?P<found>\d+),? expected (?P<expected>\d+)"),
        ),
        check=(
            "Compare --tensor-parallel-size with the chips of the slice "
            "and the model's KV heads (E2B has one: it runs on one chip)."
        ),
        next_step="Set --tensor-parallel-size to a number that both allow, at most the chips of the slice.",
        source="ARahim3/kaggle-tpu-lab#7 (found 1, expected 8); config.json of the Gemma 4 models",
    ),
    Signature(
        name="kernel_compile",
        title="a TPU kernel did not compile (Mosaic)",
        must=sign(
            "Mosaic failed",
            r"Mosaic failed to compile|MosaicError|Internal TPU kernel compiler error"
            r"|E1\d{3}: |XLA:TPU compile permanent error(?!.{0,40}Ran out of memory)",
        ),
        signs=(COMPILING, START_FAILED),
        figures=(figure(r"kernel: (?P<reason>[^\n]{5,160})"),),
        check="Did the image or the model change since the last good start?",
        next_step="Go back to the image that worked; keep the whole line for a report to vllm-project/tpu-inference.",
        source="vllm-project/tpu-inference#1425 (v6e), jax-ml/jax#29520",
    ),
    Signature(
        name="bad_arguments",
        title="vLLM did not understand a flag",
        must=sign(
            "an argument was refused",
            r"error: (?:unrecognized arguments|argument \S{1,60}"
            r"|the following arguments are required|ambiguous option)|Invalid (?:choice|value) for"
            r"|validation errors? for (?:\w*Config|EngineArgs|VllmConfig)|invalid tool call parser"
            r"|KeyError: .{0,20}tool.?call.?parser|invalid reasoning parser",
        ),
        signs=(sign("a flag is named", r"--\w|\w+Config|parser"), START_FAILED),
        figures=(
            figure(r"unrecognized arguments: (?P<arguments>[^\n]{1,160})"),
            figure(r"argument (?P<argument>--[\w\-]{1,60})"),
        ),
        any_level=True,
        check="Compare the flag with `vllm serve --help` of this image: names change between releases.",
        next_step="Correct or remove the flag and start again.",
        source="vLLM's command line",
        generic=True,
    ),
)
