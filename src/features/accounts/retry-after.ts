/** Problems that pass by themselves: no connection, or too many attempts (S-62: `getRetrySeconds`). */
import { createLocalProblem } from '#contract/problem.ts'

/** For calls that load their code on first use: code that cannot be loaded is reported like a missing connection. */
export const catchUnreachable = <T>(call: () => Promise<T>) => call().catch(toUnreachable)

const toUnreachable = () => ({ kind: 'problem' as const, problem: createLocalProblem('NEEDS_CONNECTION') })

/** Switches to minutes above 90 seconds, because nobody counts 540 seconds. */
export const toRetryDelay = (seconds: number): { unit: 'Seconds' | 'Minutes'; count: number } =>
  seconds <= 90 ? { unit: 'Seconds', count: seconds } : { unit: 'Minutes', count: Math.ceil(seconds / 60) }
