import { expect, it } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import { toFormStatus } from '#state/form-status.ts'

const toRefusal = (code: string) => ({
  kind: 'problem' as const,
  problem: { ...createLocalProblem('OFFLINE'), code },
  intent: 'i-1',
})

it('what was refused is sent again as the same wish, unless that wish is spent (protocol 20)', () => {
  expect(toFormStatus(toRefusal('DUP_USER'))).toMatchObject({ form: { kind: 'failed' }, intent: 'i-1' })
  for (const code of ['INTENT_DONE', 'INTENT_VOID'])
    expect(toFormStatus(toRefusal(code))).toMatchObject({ form: { kind: 'failed', problem: { code } }, intent: null })
})

it('what was taken leaves nothing behind, whether it is done or waits', () => {
  expect(toFormStatus({ kind: 'fresh', output: null })).toEqual({ form: { kind: 'idle' }, intent: null })
  expect(toFormStatus({ kind: 'queued', intent: 'i-1' })).toEqual({ form: { kind: 'queued' }, intent: null })
})
