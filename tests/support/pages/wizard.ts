/** The wizard's fields and buttons, and what a test asks the server past the page. */
import type { Page } from 'playwright-core'

export const field = (page: Page, name: string) => page.locator(`[name="${name}"]`)
export const submit = (page: Page) => page.locator('.wizard form button[type=submit]')
/** Of the choice of modules: the step before it is a form, whose button is not meant. */
export const order = (page: Page) => page.locator('.wizard div.priced .button.primary')
export const dialog = (page: Page) => page.getByRole('dialog')
export const step = (page: Page) => page.locator('.steps [aria-current]').innerText()

/** Takes what comes along as well. */
export async function choose(page: Page, code: string) {
  await field(page, `module-${code}`).click()
  const asked = dialog(page)
  const chosen = field(page, `module-${code}`).and(page.locator(':checked'))
  await Promise.race([asked.waitFor(), chosen.waitFor({ state: 'attached' })])
  if (await asked.count()) await asked.locator('.button.primary').click()
}

export async function fill(page: Page, code: string, more: Record<string, string> = {}) {
  await field(page, 'code').fill(code)
  await field(page, 'name').fill(`Service ${code}`)
  for (const [name, text] of Object.entries(more)) await field(page, name).fill(text)
}

/** As the signed-in user, past the page. */
export const ask = <T>(page: Page, method: string, path: string, body?: object): Promise<{ status: number; body: T }> =>
  page.evaluate(
    async ({ method, path, body }) => {
      const access = /portal-access=([^;]+)/.exec(document.cookie)?.[1] ?? ''
      const answer = await fetch(path, {
        method,
        headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: answer.status, body: (await answer.json()) as T }
    },
    { method, path, body },
  )

export interface Ordered {
  id: number
  state: string
  amount: string
}

export async function ordersOf(page: Page, code: string): Promise<Ordered[]> {
  const { body: own } = await ask<{ company_id: number }>(page, 'GET', '/api/m18s/user')
  const path = `/api/company/${own.company_id}/sorder?searchText=${code}&results=50`
  return (await ask<{ data: Ordered[] }>(page, 'GET', path)).body.data
}
