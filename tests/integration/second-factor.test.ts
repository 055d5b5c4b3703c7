/** The second factor over the real line: two steps in, and changes that take longer than a token lives. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addFactor, beginProof, getFactors, proveSelf, setUpFactor } from '#contract/factors.ts'
import type { Result } from '#request/results.ts'
import { signIn } from '#request/session/sign-in.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { password } from '#tests/support/server/world.ts'
import { codeAt } from '#tests/support/server/otp.ts'

let app: Installation
beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())

function outputOf<T>(result: Result<T>): T {
  if (result.kind !== 'fresh') throw new Error(`no answer: ${JSON.stringify(result)}`)
  return result.output
}

it('is set up with a token that had to be renewed on the way, and then asked for; nothing of it stays here', async () => {
  const tablet = await app.signedIn('user@alpha')
  // The phone had to be looked for: the access token has ended, and its cookie with it.
  await app.clock.turn(601_000)
  tablet.cookies.delete('portal-access')
  const { mfa_token } = outputOf(await tablet.api.call(beginProof, {}))
  expect((await tablet.api.call(proveSelf, { body: { mfa_token, password } })).kind).toBe('fresh')
  const { totp } = outputOf(await tablet.api.call(setUpFactor, { body: { mfa_token, kind: 'totp' } }))
  const secret = totp?.secret ?? ''
  const otp = codeAt(secret, app.clock.now())
  const made = { mfa_token, kind: 'totp' as const, name: 'Phone', otp }
  const { recovery_codes } = outputOf(await tablet.api.call(addFactor, { body: made }))
  expect(recovery_codes).toHaveLength(10)
  expect(outputOf(await tablet.api.call(getFactors, {})).factors).toHaveLength(1)
  await tablet.rest()
  const subject = { companyId: app.server.world.companies.alpha, userId: app.server.world.users['user@alpha'] ?? 0 }
  const db = tablet.device.of(subject)
  const kept = JSON.stringify(await Promise.all(db.tables.map((table) => table.toArray())))
  for (const each of [secret, mfa_token, ...(recovery_codes ?? [])]) expect(kept).not.toContain(each)

  const other = app.tablet()
  const first = await other.signIn('alpha', 'user@alpha.example', password)
  expect(first).toMatchObject({
    kind: 'problem',
    problem: { code: 'MFA_REQUIRED', data: { methods: ['otp', 'recovery_code'] } },
  })
  expect(await other.session()).toBe(null)
  const step = (first.kind === 'problem' ? first.problem.data : null) as { mfa_token: string }
  const wrong = await signIn(other.ports, { mfa_token: step.mfa_token, otp: '000000', language: 'en' })
  expect(wrong).toMatchObject({ kind: 'problem', problem: { code: 'MFA_INVALID' } })
  const next = codeAt(secret, app.clock.now(), 1)
  const second = await signIn(other.ports, { mfa_token: step.mfa_token, otp: next, language: 'en' })
  expect(second.kind).toBe('fresh')
  expect(await other.session()).toMatchObject({ ...subject, signedOut: false })
  expect(outputOf(await other.api.call(getFactors, {})).recovery_codes).toBe(10)
})

it('is asked of the server alone: without a line every act says so, and nothing waits', async () => {
  const tablet = await app.signedIn('admin@alpha')
  tablet.line.state = 'down'
  for (const result of [
    await tablet.api.call(beginProof, {}),
    await tablet.api.call(setUpFactor, { body: { mfa_token: 'x', kind: 'totp' } }),
  ])
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
  expect(await tablet.api.call(getFactors, {})).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
  expect(await tablet.waiting()).toBe(0)
})
