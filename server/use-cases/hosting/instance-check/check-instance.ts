/** Checks a running image against the instance contract (docs/instance.md). */
import { getErrorReason } from '#server/drivers/hosting/control/exchange.ts'
import { CheckClient, RequirementError } from '#server/use-cases/hosting/instance-check/check-client.ts'
import {
  createReadChecks,
  errorCheck,
  healthCheck,
  type InstanceCheck,
  SkippedCheck,
} from '#server/use-cases/hosting/instance-check/read-checks.ts'
import { createWriteChecks, type WriteCheckOptions } from '#server/use-cases/hosting/instance-check/write-checks.ts'

export interface InstanceCheckOptions {
  url: string
  token: string
  /** Limit for each check in ms. */
  limitMs: number
  /** Null to change nothing. */
  write: WriteCheckOptions | null
}

export interface CheckResult {
  outcome: 'ok' | 'missing' | 'wrong' | 'skipped'
  requirement: string
  /** A fact, or the reason why the check was skipped. */
  note: string | null
  problem: { expected: string; actual: string; advice: string } | null
}

/** Yields the result of each check when it ends. If the instance does not answer at all, only the first check runs. */
export async function* checkInstance({
  url,
  token,
  limitMs,
  write,
}: InstanceCheckOptions): AsyncGenerator<CheckResult> {
  const client = new CheckClient({ url, token })
  const run = async (check: InstanceCheck) => await runCheck(client, check, limitMs)
  const health = await run(healthCheck)
  yield health
  if (health.outcome === 'wrong' && !client.hasResponded) return
  for (const check of createReadChecks(token)) yield await run(check)
  if (write !== null) for (const check of createWriteChecks(write)) yield await run(check)
  yield await run(errorCheck)
}

async function runCheck(client: CheckClient, check: InstanceCheck, limitMs: number): Promise<CheckResult> {
  const { requirement } = check
  client.beginCheck(limitMs)
  try {
    return { outcome: 'ok', requirement, note: await check.run(client), problem: null }
  } catch (error) {
    if (error instanceof SkippedCheck) return { outcome: 'skipped', requirement, note: error.message, problem: null }
    const failure = error instanceof RequirementError ? error : toRequirementError(client, error, limitMs)
    const { outcome, expected, actual, advice } = failure
    return { outcome, requirement, note: null, problem: { expected, actual, advice } }
  }
}

const toRequirementError = (client: CheckClient, error: unknown, limitMs: number): RequirementError =>
  new RequirementError('wrong', {
    expected: 'a complete response',
    actual: client.isOverdue ? `none within ${limitMs / 1000} s` : getErrorReason(error),
    advice: client.hasResponded
      ? 'look at the log of the instance; for much data allow more time with --seconds'
      : 'check that the instance runs, that it listens on all addresses, and that the address and the port are right',
  })
