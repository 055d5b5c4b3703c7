import { expect, it } from 'vitest'
import { localProblem } from '#contract/problem.ts'
import { formAfter } from '#state/form-status.ts'

const refused = (code: string) => ({
  kind: 'problem' as const,
  problem: { ...localProblem('OFFLINE'), code },
  intent: 'i-1',
})

it('what was refused is sent again as the same wish, unless that wish is spent (protocol 20)', () => {
  expect(formAfter(refused('DUP_USER'))).toMatchObject({ form: { kind: 'failed' }, intent: 'i-1' })
  for (const code of ['INTENT_DONE', 'INTENT_VOID'])
    expect(formAfter(refused(code))).toMatchObject({ form: { kind: 'failed', problem: { code } }, intent: null })
})

it('what was taken leaves nothing behind, whether it is done or waits', () => {
  expect(formAfter({ kind: 'fresh', output: null })).toEqual({ form: { kind: 'idle' }, intent: null })
  expect(formAfter({ kind: 'queued', intent: 'i-1' })).toEqual({ form: { kind: 'queued' }, intent: null })
})
