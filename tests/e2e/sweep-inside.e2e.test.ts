/** Every screen of a company's administrator, as `sweep-outside` looks at the others (A-01, A-04, A-15, A-30, A-32, T-02, I-01). */
import { expect, it } from 'vitest'
import { adminScreens, appScreens, serviceScreens, userScreens } from '#tests/support/screens.ts'
import { expectSwept, patience } from '#tests/support/sweep.ts'
import { setUpShared } from '#tests/support/visit.ts'

const setup = setUpShared()

it(
  'the screens of services',
  async () => {
    const titles = await expectSwept(setup, 'staff', serviceScreens)
    expect(titles.filter((title) => !/ · M18 /.test(title))).toEqual([])
  },
  patience,
)

it(
  'the screens of apps',
  async () => {
    const titles = await expectSwept(setup, 'staff', appScreens)
    expect(titles.filter((title) => !/^(App|应用|上传)/.test(title))).toEqual([])
  },
  patience,
)

it('the screens of a user', async () => void (await expectSwept(setup, 'user', userScreens)), patience)

it(
  'the screens of an admin',
  async () => {
    const titles = await expectSwept(setup, 'admin', adminScreens)
    // Each is called by a name of its own, with its company's.
    expect(titles.filter((title) => !title.includes(' · Acme Trading Limited · '))).toEqual([])
  },
  patience,
)
