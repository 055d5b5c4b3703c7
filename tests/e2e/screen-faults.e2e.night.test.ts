/** Tests that each check of the sweep finds its fault on a page that has it, and nothing on a page without it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScreenFaults, findFaults, setTextSpacing } from '#tests/support/browser/screen-faults.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

let page: Page
beforeAll(async () => void (page = await setup.fixture.browser.newPage({ viewport: { width: 400, height: 700 } })))
afterAll(() => page?.close())

async function showBody(body: string, style = '') {
  await page.setContent(`<style>body { margin: 0; font: 14px sans-serif } ${style}</style>${body}`)
  return page
}
const findFaultsOf = async (kind: keyof ScreenFaults, body: string, style?: string) =>
  (await findFaults(await showBody(body, style), { target: 44, timeoutMs: 200 }))[kind]

describe('the check of dates and tags', () => {
  it('finds a date that wraps at a hyphen, and accepts one that does not (fault 37j)', async () => {
    const text = '<p style="width: 80px">ends on 2026-12-11</p><p style="width: 200px">ends on 2026-12-11</p>'
    expect(await findFaultsOf('brokenDates', text)).toEqual(['2026-12-11 of "ends on 2026-12-11"'])
    const unbrokenDate = '<p style="width: 80px">ends on <span style="white-space: nowrap">2026-12-11</span></p>'
    expect(await findFaultsOf('brokenDates', unbrokenDate)).toEqual([])
  })

  it('finds a tag that its cell clips, and accepts one that fits (fault 37a)', async () => {
    const table = (width: number) =>
      `<table style="table-layout: fixed; width: ${width}px"><tr><td style="overflow: hidden; white-space: nowrap"><span class="tag" style="padding: 0 8px">Not activated</span></table>`
    expect(await findFaultsOf('cut', table(60))).toEqual(['Not activated'])
    expect(await findFaultsOf('cut', table(300))).toEqual([])
  })
})

describe('the check of texts, buttons and fields', () => {
  it('finds a letter clipped at its foot, and accepts one with enough room (fault 37f)', async () => {
    const line = (height: number) =>
      `<p style="margin: 0; height: ${height}px; line-height: ${height}px; overflow: hidden; white-space: nowrap">Trading group</p>`
    expect(await findFaultsOf('descenders', line(13))).toEqual(['Trading group'])
    expect(await findFaultsOf('descenders', line(20))).toEqual([])
  })

  it('finds a line break within a short word, and accepts one between words (fault 37s)', async () => {
    const text = (width: number) => `<p style="width: ${width}px; overflow-wrap: anywhere">Now or later</p>`
    expect(await findFaultsOf('brokenWords', text(20))).toContain('Now of "Now or later"')
    expect(await findFaultsOf('brokenWords', text(60))).toEqual([])
  })

  it('finds two buttons with the same text in one dialog (fault 37i)', async () => {
    const dialog = (first: string) => `<div role="dialog" aria-modal="true">${first}<button>取消</button></div>`
    expect(await findFaultsOf('sameButtons', dialog('<button>取消</button>'))).toEqual(['取消'])
    expect(await findFaultsOf('sameButtons', dialog('<label><input type="radio">取消</label>'))).toEqual(['取消'])
    expect(await findFaultsOf('sameButtons', dialog('<button>收回</button>'))).toEqual([])
  })

  it('finds password fields of different widths (fault 37h)', async () => {
    const form = (width: number) =>
      `<form><input type="password" name="chosen" style="width: 200px"><input type="password" name="confirm" style="width: ${width}px"></form>`
    expect(await findFaultsOf('passwordWidths', form(180))).toHaveLength(1)
    expect(await findFaultsOf('passwordWidths', form(200))).toEqual([])
  })
})

describe('the check of press targets', () => {
  const square =
    'button, a { display: block; box-sizing: border-box; width: 44px; height: 44px; padding: 0; border: 0 }'

  it.each([
    ['a low button', '<button style="height: 43px">Go</button>', ['button. "Go" 44 × 43']],
    ['a narrow button', '<button style="width: 30px">Go</button>', ['button. "Go" 30 × 44']],
    [
      'a link outside a sentence',
      '<p><a href="#a" style="display: inline; height: auto">Open</a></p>',
      [/^a\. "Open"/],
    ],
    [
      'a check box without a label',
      '<input type="checkbox" style="width: 20px; height: 20px; margin: 0">',
      [/20 × 20$/],
    ],
    ['a low button without a dialog in front of it', '<button class="low">Go</button>', [/^button\.low/]],
  ])('reports %s as too small', async (_, body, expectedFaults) => {
    expect(await findFaultsOf('small', body, `${square} .low { height: 20px }`)).toEqual(
      expectedFaults.map((expectedFault) =>
        typeof expectedFault === 'string' ? expectedFault : expect.stringMatching(expectedFault),
      ),
    )
  })

  it.each([
    ['a button that is large enough', '<button>Go</button>'],
    ['a link within a sentence', '<p>Read <a href="#a" style="display: inline">the terms</a> first.</p>'],
    [
      'a check box with a large label',
      '<label style="display: block; height: 44px"><input type="checkbox"> All of them</label>',
    ],
    ['a button that a pseudo-element enlarges', '<button class="low wide">Go</button>'],
    [
      'the link of a row that can be pressed as a whole',
      '<table><tr class="leads"><td class="lead"><a href="#a" class="low">Ada</a></table>',
    ],
    ['a button that is not displayed', '<button style="display: none; height: 1px">Go</button>'],
    [
      'a skip link that is outside the window until it is focused',
      '<a href="#a" class="low" style="position: absolute; top: -80px">Skip</a>',
    ],
    [
      'a button behind a dialog',
      '<button class="low">Go</button><div role="dialog" aria-modal="true"><button>Go</button></div>',
    ],
  ])('accepts %s', async (_, body) => {
    const rules =
      '.low { height: 20px } .wide { position: relative } .wide::after { content: ""; position: absolute; inset: -12px 0 }'
    expect(await findFaultsOf('small', body, `${square} tr.leads { display: block; height: 48px } ${rules}`)).toEqual(
      [],
    )
  })
})

describe('the check of headings', () => {
  it.each([
    ['<h2>Users</h2>', ['0 h1', 'h0 to h2 "Users"']],
    ['<h1>Users</h1><h1>Roles</h1>', ['2 h1']],
    ['<h1>Users</h1><h3>Roles</h3>', ['h1 to h3 "Roles"']],
    ['<h1>Users</h1><h2>Roles</h2><h3>Admin</h3><h2>Mails</h2>', []],
    ['<h1>Users</h1><div role="dialog"><h2>New user</h2></div>', []],
    ['<h1 hidden>Users</h1><h1>Roles</h1>', []],
  ])('checks the levels of %s', async (body, expectedFaults) =>
    expect(await findFaultsOf('headings', body)).toEqual(expectedFaults),
  )
})

describe('the check of landmarks', () => {
  it.each([
    ['<nav></nav><nav></nav>', ['navigation ""']],
    ['<section aria-label="Price">a</section><section aria-label="Price">a</section>', ['region "Price"']],
    ['<nav aria-label="Main">a</nav><nav aria-label="Pages">a</nav><section>a</section><section>a</section>', []],
    ['<h2 id="a">Facts</h2><section aria-labelledby="a">a</section><section aria-label="Modules">a</section>', []],
  ])('checks the names of %s', async (body, expectedFaults) =>
    expect(await findFaultsOf('landmarks', body)).toEqual(expectedFaults),
  )
})

describe('a clipped tooltip', () => {
  const rules =
    '.hinted { position: absolute } .hint { position: absolute; width: 120px; display: none } .hint-shown > .hint { display: block }'
  const buildHint = (style: string) =>
    `<span class="hinted" style="${style}"><button>Go</button><span class="hint">Why not</span></span>`

  it.each([
    ['the window', buildHint('left: -20px; top: 0')],
    [
      'div.box',
      `<div class="box" style="position: relative; overflow: hidden; height: 90px; width: 200px">${buildHint('left: 150px; top: 0')}</div>`,
    ],
  ])('is reported if it is cut off by %s', async (by, body) =>
    expect(await findFaultsOf('hints', body, rules)).toEqual([`"Why not" by ${by}`]),
  )

  it('is not reported if all of it is visible', async () =>
    expect(await findFaultsOf('hints', buildHint('left: 20px; top: 20px'), rules)).toEqual([]))
})

describe('the check of clipped texts', () => {
  const box = '.box { width: 100px; height: 20px; line-height: 20px; overflow: hidden; white-space: nowrap }'

  it('finds a text whose end is hidden by its box', async () => {
    expect(await findFaultsOf('cut', '<div class="box">A text that is too long for it</div>', box)).toHaveLength(1)
    expect(await findFaultsOf('cut', '<div class="box">Short</div>', box)).toEqual([])
  })

  it('finds a text that is larger than its circle or tag', async () => {
    const round = '.round { display: grid; place-items: center; width: 24px; height: 24px; border-radius: 50% }'
    const tag = '.tag { height: 18px; border-radius: 999px }'
    const texts =
      '<i class="round" style="font-size: 28px">A C</i><b class="round">1</b><p class="tag">Off<br>line</p><p class="tag">On</p>'
    expect(await findFaultsOf('cut', texts, round + tag)).toEqual(['A C', 'Offline'])
  })

  it('finds texts that are clipped only with increased text spacing', async () => {
    const page = await showBody('<div class="box">Just as wide</div>', box)
    expect((await findFaults(page)).cut).toEqual([])
    await setTextSpacing(page, true)
    expect((await findFaults(page)).cut).toEqual(['Just as wide'])
    await setTextSpacing(page, false)
    expect((await findFaults(page)).cut).toEqual([])
  })
})
