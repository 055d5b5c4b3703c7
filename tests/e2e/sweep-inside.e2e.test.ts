/** Checks every screen of a company's users. `sweep-outside` checks the other screens (A-01, A-04, A-15, A-30, A-32, T-02, I-01). */
import { expect, it } from 'vitest'
import { adminScreens, userScreens } from '#tests/support/browser/screens.ts'
import { expectCleanSweep, sweepTimeoutMs } from '#tests/support/browser/sweep.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

it(
  'The screens of a user have no faults',
  async () => void (await expectCleanSweep(setup, 'user', userScreens)),
  sweepTimeoutMs,
)

it(
  'The screens of an admin have no faults',
  async () => {
    const titled = await expectCleanSweep(setup, 'admin', adminScreens)
    // Each title contains the name of the company.
    for (const { title } of titled) expect(title).toContain(' · Acme Trading Limited · ')
  },
  sweepTimeoutMs,
)
