import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Drawn, keepDrawn } from '#local/drawn.ts'
import { mostMs, withDrawn } from '#sw/drawn.ts'
import { company, type Kept, keptDevice } from '#tests/support/kept.ts'

const address = new URL('https://portal.test/saas/app/user')
const build = 'b1'
const drawn: Drawn = {
  build,
  address: address.pathname,
  language: 'zh',
  theme: 'dark',
  sheets: [['/saas/assets/orders.css', 'orders']],
  html: '<main>Li Wei</main>',
}
const bare =
  '<html lang="en"><head><link rel="stylesheet" href="/saas/assets/all.css"></head><div id="root"></div></html>'
const aPage = () => new Response(bare)

async function kept(): Promise<Kept> {
  const made = await keptDevice()
  await keepDrawn(drawn, { companyId: company, userId: 1 }, made.device)
  return made
}

/** The device answers nobody until it is let go. */
function hold({ db }: Kept): () => void {
  let held = true
  void db.transaction('rw', db.readings, db.meta, async () => {
    while (held) await db.meta.get('gate')
  })
  return () => {
    held = false
  }
}

/** A page that is there when it is said to be. */
function coming(): { page: Promise<Response>; comes: () => void } {
  const { promise: page, resolve } = Promise.withResolvers<Response>()
  return { page, comes: () => resolve(aPage()) }
}

describe('a page that has a list as it was last drawn', () => {
  // Of the clock only what the worker waits by: the database goes on.
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }))
  afterEach(() => vi.useRealTimers())

  it('comes with it, in its language and looks, behind its sheets', async () => {
    const answer = await withDrawn(Promise.resolve(aPage()), address, build, (await kept()).device)
    expect(await answer.text()).toBe(
      '<html lang="zh" dir="ltr" data-theme="dark"><head><link rel="expect" href="#all" blocking="render"></head>' +
        '<link rel="stylesheet" href="/saas/assets/orders.css" data-precedence="orders">' +
        '<link rel="stylesheet" href="/saas/assets/all.css">' +
        '<div id="root"><div class="drawn" inert><main>Li Wei</main></div><i id="all"></i></div></html>',
    )
  })

  it('comes as it is where nothing is kept', async () => {
    const { device } = await keptDevice()
    expect(await (await withDrawn(Promise.resolve(aPage()), address, build, device)).text()).toBe(bare)
  })

  it('waits for it no longer than said, once it is there itself', async () => {
    const made = await kept()
    const letGo = hold(made)
    const { page, comes } = coming()
    const answering = withDrawn(page, address, build, made.device)
    comes()
    await vi.advanceTimersByTimeAsync(mostMs)
    expect(await (await answering).text()).toBe(bare)
    letGo()
  })

  it('does not use that up while it is on its way itself', async () => {
    const made = await kept()
    const letGo = hold(made)
    const { page, comes } = coming()
    const answering = withDrawn(page, address, build, made.device)
    await vi.advanceTimersByTimeAsync(10 * mostMs)
    comes()
    await vi.advanceTimersByTimeAsync(mostMs - 1)
    letGo()
    expect(await (await answering).text()).toContain('Li Wei')
  })
})
