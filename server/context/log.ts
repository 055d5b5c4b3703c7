/**
 * The log: JSON lines in UTC (S-89). What may stand in it is chosen here by name, never a request or a header as a whole,
 * so tokens, passwords, keys, cookies and query strings cannot slip in; the redaction is the second fence.
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

/** A database error's `detail` and `where` hold row values, so only the named fields are kept. */
function serializeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown }
  // Its message may repeat what was sent, and the stack begins with the message.
  const message = error.message.slice(0, inputLimits.logMessage)
  return { type: error.name, code, constraint, message, stack: error.stack?.slice(0, inputLimits.logStack) }
}

/** What happened, in words that a search of the log can rely on (S-88). */
export type SecurityEvent =
  | 'login ok'
  | 'login failed'
  | 'login throttled'
  | 'login flood'
  | 'second factor asked'
  | 'second factor failed'
  | 'second factor throttled'
  | 'second factor added'
  | 'second factor removed'
  | 'second factor reset'
  | 'recovery code used'
  | 'recovery codes renewed'
  | 'second factor required'
  | 'refresh'
  | 'refresh refused'
  | 'token reused'
  | 'logout'
  | 'sessions ended'
  | 'password changed'
  | 'password reset'
  | 'company registered'
  | 'account activated'
  | 'payment notice refused'
  | 'user disabled'
  | 'user deleted'
  | 'role changed'
  | 'access denied'
  | 'cross-site refused'
  | 'host refused'
  | 'flood'
  | 'input refused'

export function logSecurityEvent(
  log: Pick<Logger, 'warn'>,
  event: SecurityEvent,
  details: Record<string, string | number | null>,
): void {
  log.warn({ security: event, ...details }, event)
}
