"""What can be asked: every operation, in one explicit table."""

from bot.operations.again import details_operation, share_operation
from bot.operations.approvals import NO, YES
from bot.operations.ask import ASK
from bot.operations.asking import ask_operation
from bot.operations.audit import AUDIT
from bot.operations.bench_check import BENCH_CHECK
from bot.operations.budget import BUDGET, BUDGET_SET
from bot.operations.change import CHANGE, ROLLBACK
from bot.operations.changes import CHANGES
from bot.operations.cost import COST
from bot.operations.deploy import DEPLOY
from bot.operations.deployments import DEPLOYMENTS
from bot.operations.doctor import DOCTOR
from bot.operations.endpoint import ENDPOINT
from bot.operations.engine_end import ENGINE_REMOVE, ENGINE_STOP
from bot.operations.engine_restart import ENGINE_RESTART, ENGINE_START
from bot.operations.engine_status import ENGINE_STATUS
from bot.operations.errors import ERRORS
from bot.operations.export_gke import EXPORT_GKE
from bot.operations.export_vm import EXPORT_VM
from bot.operations.find import FIND
from bot.operations.hardware import HARDWARE
from bot.operations.health import HEALTH
from bot.operations.help import help_operation
from bot.operations.home import HOME
from bot.operations.incidents import INCIDENT_SNOOZE, INCIDENT_TAKE, INCIDENTS
from bot.operations.logs import LOGS
from bot.operations.machine import MACHINE
from bot.operations.machine_create import MACHINE_CREATE
from bot.operations.machine_destroy import MACHINE_DESTROY
from bot.operations.machine_end import MACHINE_END
from bot.operations.machine_expire import MACHINE_EXPIRE
from bot.operations.machine_extend import MACHINE_EXTEND
from bot.operations.machine_power import MACHINE_START, MACHINE_STOP
from bot.operations.machine_tidy import MACHINE_TIDY
from bot.operations.machines import MACHINES
from bot.operations.memory import MEMORY
from bot.operations.metrics import METRICS
from bot.operations.model import MODEL
from bot.operations.operation import Registry
from bot.operations.pasted import PASTED
from bot.operations.replace import REPLACE
from bot.operations.roles import SETUP_ADMIN, SETUP_OPERATOR, SETUP_REMOVE, SETUP_ROLES
from bot.operations.setup import ADOPT, SETUP
from bot.operations.status import STATUS
from bot.operations.token import TOKEN
from bot.operations.token_key import TOKEN_KEY
from bot.operations.unneeded import UNNEEDED
from bot.operations.watch import WATCH_LIST, WATCH_OFF, WATCH_ON
from bot.operations.welcome import WELCOME
from bot.operations.work import CANCEL, WORK
from bot.operations.zones import ZONES


def _table() -> Registry:
    return OPERATIONS


OPERATIONS: Registry = (
    WELCOME,
    STATUS,
    ASK,
    ERRORS,
    LOGS,
    CHANGES,
    METRICS,
    HEALTH,
    MACHINES,
    MACHINE,
    MACHINE_START,
    MACHINE_STOP,
    ZONES,
    FIND,
    MACHINE_CREATE,
    DEPLOY,
    CHANGE,
    ROLLBACK,
    REPLACE,
    MACHINE_DESTROY,
    MACHINE_EXTEND,
    MACHINE_END,
    MACHINE_EXPIRE,
    MACHINE_TIDY,
    DEPLOYMENTS,
    ENGINE_STATUS,
    ENGINE_START,
    ENGINE_RESTART,
    ENGINE_STOP,
    ENGINE_REMOVE,
    ENDPOINT,
    EXPORT_VM,
    EXPORT_GKE,
    MODEL,
    MEMORY,
    HARDWARE,
    BENCH_CHECK,
    COST,
    INCIDENTS,
    INCIDENT_TAKE,
    INCIDENT_SNOOZE,
    WATCH_ON,
    WATCH_OFF,
    WATCH_LIST,
    WORK,
    CANCEL,
    SETUP,
    ADOPT,
    SETUP_ADMIN,
    SETUP_OPERATOR,
    SETUP_REMOVE,
    SETUP_ROLES,
    TOKEN,
    TOKEN_KEY,
    BUDGET,
    BUDGET_SET,
    AUDIT,
    DOCTOR,
    help_operation(_table),
    YES,
    NO,
    details_operation(_table),
    share_operation(_table),
    PASTED,
    UNNEEDED,
    HOME,
    ask_operation(_table),
)
