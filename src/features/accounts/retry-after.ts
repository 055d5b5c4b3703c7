/** Problems that pass by themselves: no connection, and too many attempts, whose answer says how long (S-62: `getRetrySeconds`). */
import { createLocalProblem } from '#contract/problem.ts'

/** What is asked with code that comes when it is first needed, which may be out of reach like everything else. */
export const catchUnreachable = <T>(call: () => Promise<T>) => call().catch(toUnreachable)

const toUnreachable = () => ({ kind: 'problem' as const, problem: createLocalProblem('NEEDS_CONNECTION') })

/** In the larger unit as soon as it is more than one of it: nobody counts 540 seconds. */
export const toRetryDelay = (seconds: number): { unit: 'Seconds' | 'Minutes'; count: number } =>
  seconds <= 90 ? { unit: 'Seconds', count: seconds } : { unit: 'Minutes', count: Math.ceil(seconds / 60) }
