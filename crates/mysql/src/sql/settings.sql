-- peaje: settings that decide what a login costs, what it writes to logs, and how many fit
-- servers: any
-- privilege: none
-- reads: global variables; those that a server does not have are left out
show global variables where variable_name in (
    'version', 'version_comment', 'hostname', 'datadir', 'pid_file',
    'max_connections', 'extra_max_connections', 'extra_port', 'admin_port', 'max_user_connections', 'back_log',
    'thread_handling', 'thread_cache_size', 'thread_pool_size', 'thread_pool_max_threads',
    'wait_timeout', 'interactive_timeout', 'skip_name_resolve', 'host_cache_size', 'max_connect_errors', 'max_password_errors', 'connect_timeout',
    'init_connect', 'performance_schema', 'userstat',
    'have_ssl', 'require_secure_transport', 'tls_version', 'ssl_session_cache_mode',
    'default_authentication_plugin', 'authentication_policy', 'caching_sha2_password_auto_generate_rsa_keys',
    'general_log', 'log_output', 'log_warnings', 'log_error_verbosity', 'log_error_suppression_list',
    'server_audit_logging', 'server_audit_events', 'server_audit_output_type',
    'audit_log_policy', 'audit_log_connection_policy', 'audit_log_format', 'audit_log_filter_id',
    'read_only', 'wsrep_on', 'aurora_version', 'aurora_lab_mode')
