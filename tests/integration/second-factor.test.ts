/** Tests the second factor over HTTP: a login in two steps, and changes that take longer than a token is valid. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addFactor, beginProof, getFactors, proveSelf, setUpFactor } from '#contract/factors.ts'
import type { CallResult } from '#request/call-results.ts'
import { signIn } from '#request/session/sign-in.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { password } from '#tests/support/server/world.ts'
import { calculateCode } from '#tests/support/server/otp.ts'

let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())

function getOutput<T>(result: CallResult<T>): T {
  if (result.kind !== 'fresh') throw new Error(`no answer: ${JSON.stringify(result)}`)
  return result.output
}

it('A second factor is set up with a renewed token and then required; its secrets are not stored on the device', async () => {
  const tablet = await installation.signInTablet('user@alpha')
  // Simulates a user who needs time to find the phone: the access token and its cookie expire.
  await installation.clock.advance(601_000)
  tablet.cookies.delete('portal-access')
  const { mfa_token } = getOutput(await tablet.api.call(beginProof, {}))
  expect((await tablet.api.call(proveSelf, { body: { mfa_token, password } })).kind).toBe('fresh')
  const { totp } = getOutput(await tablet.api.call(setUpFactor, { body: { mfa_token, kind: 'totp' } }))
  const secret = totp?.secret ?? ''
  const otp = calculateCode(secret, installation.clock.now())
  const factorInput = { mfa_token, kind: 'totp' as const, name: 'Phone', otp }
  const { recovery_codes } = getOutput(await tablet.api.call(addFactor, { body: factorInput }))
  expect(recovery_codes).toHaveLength(10)
  expect(getOutput(await tablet.api.call(getFactors, {})).factors).toHaveLength(1)
  await tablet.settle()
  const subject = {
    companyId: installation.server.world.companies.alpha,
    userId: installation.server.world.users['user@alpha'] ?? 0,
  }
  const db = tablet.device.getDatabase(subject)
  const storedText = JSON.stringify(await Promise.all(db.tables.map((table) => table.toArray())))
  for (const secretText of [secret, mfa_token, ...(recovery_codes ?? [])]) expect(storedText).not.toContain(secretText)

  const otherTablet = installation.openTablet()
  const firstResult = await otherTablet.signIn('alpha', 'user@alpha.example', password)
  expect(firstResult).toMatchObject({
    kind: 'problem',
    problem: { code: 'MFA_REQUIRED', data: { methods: ['otp', 'recovery_code'] } },
  })
  expect(await otherTablet.session()).toBe(null)
  const step = (firstResult.kind === 'problem' ? firstResult.problem.data : null) as { mfa_token: string }
  const wrongCodeResult = await signIn(otherTablet.ports, { mfa_token: step.mfa_token, otp: '000000', language: 'en' })
  expect(wrongCodeResult).toMatchObject({ kind: 'problem', problem: { code: 'MFA_INVALID' } })
  const nextCode = calculateCode(secret, installation.clock.now(), 1)
  const secondResult = await signIn(otherTablet.ports, { mfa_token: step.mfa_token, otp: nextCode, language: 'en' })
  expect(secondResult.kind).toBe('fresh')
  expect(await otherTablet.session()).toMatchObject({ ...subject, signedOut: false })
  expect(getOutput(await otherTablet.api.call(getFactors, {})).recovery_codes).toBe(10)
})

it('Actions on second factors need the server: offline they fail, and nothing is queued', async () => {
  const tablet = await installation.signInTablet('admin@alpha')
  tablet.connection.state = 'down'
  for (const result of [
    await tablet.api.call(beginProof, {}),
    await tablet.api.call(setUpFactor, { body: { mfa_token: 'x', kind: 'totp' } }),
  ])
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
  expect(await tablet.api.call(getFactors, {})).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
  expect(await tablet.countWaiting()).toBe(0)
})
