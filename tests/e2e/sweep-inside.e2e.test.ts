/** Every screen of a company's people, as `sweep-outside` looks at the others (A-01, A-04, A-15, A-30, A-32, T-02, I-01). */
import { expect, it } from 'vitest'
import { adminScreens, userScreens } from '#tests/support/browser/screens.ts'
import { expectCleanSweep, sweepTimeoutMs } from '#tests/support/browser/sweep.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

it('the screens of a user', async () => void (await expectCleanSweep(setup, 'user', userScreens)), sweepTimeoutMs)

it(
  'the screens of an admin',
  async () => {
    const titled = await expectCleanSweep(setup, 'admin', adminScreens)
    // Each is called by a name of its own, with its company's.
    for (const { title } of titled) expect(title).toContain(' · Acme Trading Limited · ')
  },
  sweepTimeoutMs,
)
