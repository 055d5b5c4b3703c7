/**
 * Creates the log: JSON lines in UTC (S-89). Each call names the fields that it logs. A complete request or header is never logged, so
 * tokens, passwords, keys, cookies and query strings cannot get into the log. Redaction is a second protection.
 */
import { inputLimits } from '#server/config/input-limits.ts'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

const secretFields = [
  'password',
  'token',
  'authorization',
  'cookie',
  'otk',
  'pwd',
  'key',
  'newPwd',
  'orgPwd',
  'otp',
  'secret',
  'mfa_token',
  'recovery_code',
  'body',
  'query',
]

export const createLogger = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: '[removed]' },
      serializers: { err: serializeError },
    },
    ...(destination ? [destination] : []),
  )

/** Logs only the named fields, because `detail` and `where` of a database error contain row values. */
function serializeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown }
  // The message may repeat parts of the request, and the stack begins with the message, so both are shortened.
  const message = error.message.slice(0, inputLimits.logMessage)
  return { type: error.name, code, constraint, message, stack: error.stack?.slice(0, inputLimits.logStack) }
}

/** Events that matter for security (S-88), with the sentence that an operator reads. Each has a row in docs/operating.md. */
export const securityMessages = {
  login_succeeded: 'a user signed in',
  login_failed: 'a sign-in failed',
  login_throttled: 'sign-in attempts were throttled',
  login_flood: 'many sign-ins fail across all accounts',
  identity_verified: 'a user verified their identity to change factors',
  second_factor_failed: 'a second factor was wrong',
  second_factor_throttled: 'attempts with a second factor were throttled',
  second_factor_added: 'a second factor was added',
  second_factor_removed: 'a second factor was removed',
  second_factor_reset: 'the second factors of a user were reset',
  recovery_code_used: 'a recovery code was used',
  recovery_codes_renewed: 'recovery codes were renewed',
  second_factor_required: 'a company changed whether it requires a second factor',
  refresh_refused: 'a refresh of a session was refused',
  token_reused: 'a used refresh token was presented again',
  logout: 'a user signed out',
  sessions_ended: 'sessions were ended',
  password_changed: 'a password was changed',
  password_reset: 'a password was reset by mail',
  company_registered: 'a company was registered',
  account_activated: 'an account was activated',
  payment_notification_refused: 'a payment notification was refused',
  user_disabled: 'a user was disabled',
  user_deleted: 'a user was deleted',
  role_changed: 'the roles of a user changed',
  acting_started: 'a member of the staff began to act for a customer',
  acting_stopped: 'a member of the staff stopped acting for a customer',
  access_denied: 'access was denied',
  cross_site_refused: 'a cross-site request was refused',
  host_refused: 'a request for another host name was refused',
  websocket_flood: 'a WebSocket that sent too many messages was closed',
  input_refused: 'invalid input was refused',
} as const
export type SecurityEvent = keyof typeof securityMessages

export function logSecurityEvent(
  log: Pick<Logger, 'warn'>,
  event: SecurityEvent,
  details: Record<string, string | number | null>,
): void {
  log.warn({ event, security: true, ...details }, securityMessages[event])
}
