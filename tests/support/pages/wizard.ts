/** Finds the wizard's fields and buttons, and makes direct API calls. */
import type { Page } from 'playwright-core'

export const getField = (page: Page, name: string) => page.locator(`[name="${name}"]`)
export const getSubmitButton = (page: Page) => page.locator('.wizard form button[type=submit]')
/** Returns the order button of the module selection. The previous step is a form with its own button. */
export const getOrderButton = (page: Page) => page.locator('.wizard div.priced .button.primary')
export const getDialog = (page: Page) => page.getByRole('dialog')
export const readStep = (page: Page) => page.locator('.steps [aria-current]').innerText()

/** Selects a module and confirms the modules that are added with it. */
export async function choose(page: Page, code: string) {
  await getField(page, `module-${code}`).click()
  const dialogBox = getDialog(page)
  const checkedField = getField(page, `module-${code}`).and(page.locator(':checked'))
  await Promise.race([dialogBox.waitFor(), checkedField.waitFor({ state: 'attached' })])
  if (await dialogBox.count()) await dialogBox.locator('.button.primary').click()
}

export async function fill(page: Page, code: string, otherFields: Record<string, string> = {}) {
  await getField(page, 'code').fill(code)
  await getField(page, 'name').fill(`Service ${code}`)
  for (const [name, text] of Object.entries(otherFields)) await getField(page, name).fill(text)
}

export const callApi = <T>(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: T }> =>
  page.evaluate(
    async ({ method, path, body }) => {
      const accessToken = /portal-access=([^;]+)/.exec(document.cookie)?.[1] ?? ''
      const response = await fetch(path, {
        method,
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: (await response.json()) as T }
    },
    { method, path, body },
  )

export interface ListedOrder {
  id: number
  state: string
  amount: string
}

export async function listOrders(page: Page, code: string): Promise<ListedOrder[]> {
  const { body: user } = await callApi<{ company_id: number }>(page, 'GET', '/api/m18s/user')
  const path = `/api/company/${user.company_id}/sorder?searchText=${code}&results=50`
  return (await callApi<{ data: ListedOrder[] }>(page, 'GET', path)).body.data
}
