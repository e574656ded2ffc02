"""Django settings of the control plane; variable values come from `env`."""

from controlplane.config.env import ROOT, BadSetting, Environment
from controlplane.config.log_settings import logging_settings
from tercast.runtime.secret_files import secret

try:
    ENV = Environment.read()
except BadSetting as bad:
    raise SystemExit(f"tercast: {bad}") from None
ENV.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)

SECRET_KEY = secret(ENV.secrets_dir, "django-secret-key")
NORTHBOUND_TOKEN = secret(ENV.secrets_dir, "northbound-token")
NORTHBOUND_URL = ENV.northbound_url
SOURCE_CHECK = ENV.source_check
ADDRESS_FAMILY = ENV.address_family
OVS_RUN_DIR = ENV.ovs_run_dir
DEBUG = ENV.debug
ALLOWED_HOSTS = list(ENV.allowed_hosts)
if ENV.https:
    # A reverse proxy terminates HTTPS and reports it in a header that it accepts from no client.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^api/v1/health/$"]  # load balancers use plain HTTP
    SECURE_HSTS_SECONDS = ENV.hsts_seconds
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "django_celery_beat",
    "controlplane.periodic",
    "controlplane.accounts",
    "controlplane.accounts.trail",
    "controlplane.rest.idempotency",
    "controlplane.registry",
    "controlplane.registry.transitions",
    "controlplane.network",
    "controlplane.requestlog",
    "controlplane.network.map",
    "controlplane.telemetry",
    "controlplane.telemetry.activity",
    "controlplane.aggregation",
    "controlplane.deployment.audits",
    "controlplane.operations",
    "controlplane.signalling",
    "controlplane.analytics",
    "controlplane.analytics.dimensions",
    "controlplane.operations.backup",
    "controlplane.operations.demo",
    "controlplane.live",
    "controlplane.worker",
    "controlplane.web.dashboard",
]

MIDDLEWARE = [
    "controlplane.common.request_id.RequestIdMiddleware",
    "controlplane.live.content_security_policy.ContentSecurityPolicy",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "controlplane.accounts.login.ThrottledStatus",
    "controlplane.accounts.trail.middleware.Trail",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "controlplane.config.urls"
ASGI_APPLICATION = "controlplane.config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": ENV.database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["controlplane.accounts.login.ThrottledBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True

# Results of `make figures`, which the page Experiments shows.
EXPERIMENTS_DIR = ROOT / "docs" / "figures"

STATIC_URL = "/static/"
STATIC_ROOT = ENV.state_dir / "static"
STATIC_ROOT.mkdir(mode=0o700, exist_ok=True)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
# Names of Vite's output files contain the digest of their content.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/dashboard/assets/"

# Bulk requests are larger than Django's 2.5 MB; the API enforces its own limits with 413.
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024

# Counts calls for the rate limit; without Redis, each process counts alone.
CACHES: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": ENV.redis_url,
        "KEY_PREFIX": "tercast",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }
    if ENV.redis_url
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "controlplane.accounts.authentication.BearerAuthentication",
        "controlplane.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["controlplane.rest.permissions.RolePermission"],
    "DEFAULT_PARSER_CLASSES": ["controlplane.rest.strict_json.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_FILTER_BACKENDS": ["controlplane.rest.query_parameters.QueryFilter"],
    "DEFAULT_PAGINATION_CLASS": "controlplane.rest.cursor_pagination.CursorPages",
    "DEFAULT_SCHEMA_CLASS": "controlplane.rest.openapi.TercastSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "controlplane.rest.exception_handler.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Tercast",
    "DESCRIPTION": "Tercast is a publish/subscribe system. The switches of the network filter the events.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["controlplane.rest.permissions.RolePermission"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "controlplane.config.enum_meanings.describe_enums",
    ],
    "ENUM_NAME_OVERRIDES": {
        "StateEnum": "controlplane.requestlog.models.State",
        "OriginKindEnum": "controlplane.web.explain.serializers.ORIGINS",
        "TriggerEnum": "controlplane.aggregation.models.AggregationTrigger",
        "AuditTriggerEnum": "controlplane.deployment.audits.models.AuditTrigger",
        "AuditStateEnum": "controlplane.deployment.audits.models.AuditState",
        "CheckStateEnum": "controlplane.deployment.audits.models.CheckState",
        "DriftKindEnum": "controlplane.deployment.audits.models.DriftKind",
        "OutcomeEnum": "controlplane.accounts.trail.models.ActionOutcome",
        "OriginEnum": "controlplane.registry.models.Origin",
        "RunStateEnum": "controlplane.aggregation.models.AggregationRunState",
        "RunTriggerEnum": "controlplane.aggregation.models.AggregationTrigger.values",
        "AnalyticsRunStateEnum": "controlplane.analytics.models.AnalyticsRunState.values",
        "AnalyticsTriggerEnum": "controlplane.analytics.models.AnalyticsTrigger.values",
        "AggregationMethodEnum": "controlplane.aggregation.policy.METHODS",
        "HealthStatusEnum": "controlplane.operations.health_checks.STATUSES",
        "ExperimentVerdictEnum": "controlplane.web.experiments.serializers.VERDICTS",
        "ExperimentParameterSourceEnum": "controlplane.web.experiments.serializers.SOURCES",
        "SourceEnum": "controlplane.operations.alarms.SOURCES",
        "ExplainReasonEnum": "controlplane.web.explain.serializers.REASONS",
        "ProposalMethodEnum": "controlplane.analytics.dimensions.models.ProposalMethod",
        "ProposalStateEnum": "controlplane.web.analytics.proposal_serializers.PROPOSAL_STATES",
        "ProposalTriggerEnum": "controlplane.analytics.dimensions.models.ProposalTrigger",
        "RunMethodEnum": "controlplane.aggregation.policy.RUNNING_METHODS",
    },
}

LOGGING = logging_settings(ENV.log_format, ENV.log_level)
