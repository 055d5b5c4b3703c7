/** Helpers for problems that end without a change by the user: no connection, or too many attempts (S-62: `getRetrySeconds`). */
import { createLocalProblem } from '#contract/problem.ts'

/** For calls that load their code on first use. Returns the problem of a missing connection if the code cannot be loaded. */
export const catchUnreachable = <T>(call: () => Promise<T>) => call().catch(toUnreachable)

const toUnreachable = () => ({ kind: 'problem' as const, problem: createLocalProblem('NEEDS_CONNECTION') })

/** Converts seconds to the unit of a countdown. Above 90 seconds it uses minutes, because they are easier to read. */
export const toRetryDelay = (seconds: number): { unit: 'Seconds' | 'Minutes'; count: number } =>
  seconds <= 90 ? { unit: 'Seconds', count: seconds } : { unit: 'Minutes', count: Math.ceil(seconds / 60) }
