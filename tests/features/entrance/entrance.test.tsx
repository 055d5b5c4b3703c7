import { screen } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { button, field, problems } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages()
beforeEach(() =>
  inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
    const service = { create_time: 1, update_time: 1, company_id: the.server.world.companies.alpha }
    const [trade, bare] = ['https://www.acmetrade.m18.example/', 'https://acmebare.m18.example/']
    await insertService(db, { ...service, code: 'acmetrade', name: 'Trade', url: trade })
    await insertService(db, { ...service, code: 'acmebare', name: 'Bare', url: bare })
  }),
)

async function find(code: string) {
  await the.user.clear(field('Service code'))
  if (code) await the.user.type(field('Service code'), code)
  // While a code is being looked up, as that of the address is, the button says so.
  await the.user.click(await screen.findByRole('button', { name: 'Find service' }))
}
const wrong = () => Object.values(problems())
const way = (name: string) => screen.getByRole<HTMLAnchorElement>('link', { name }).href

it('says what is wrong with a code, in the language of now (M9)', async () => {
  await the.browser.open('/entrance')
  await find('')
  await expect.poll(wrong).toEqual(['Please input "Service code" as it\'s required.'])
  for (const code of ['ab', '1abc', 'acme-trade', 'nosuch']) {
    await find(code)
    await expect.poll(wrong).toEqual(['service does not exist'])
    expect(document.activeElement).toBe(field('Service code'))
  }
  await find('select')
  await expect.poll(wrong).toEqual(['"select" is reserved by system'])
  await find('')
  await the.user.click(button('中文'))
  await expect.poll(wrong).toEqual([expect.stringMatching(/^请输入“服务代码”/)])
})

it('forces lower case, as the code has it', async () => {
  // The language is taken out of the address, which keeps the rest.
  await the.browser.open('/entrance?lang=en&code=ACME')
  expect(the.browser.path()).toBe('/entrance?code=ACME')
  await expect.poll(() => field('Service code').value).toBe('acme')
  await find('AcmeTrade')
  expect(field('Service code').value).toBe('acmetrade')
  await screen.findByRole('heading', { name: 'Service acmetrade' })
})

it('fault 22g takes a code in full-width characters for what it means, also by Enter', async () => {
  await the.browser.open('/entrance')
  await the.user.type(field('Service code'), ' Ａｃｍｅｂａｒｅ{Enter}')
  await screen.findByRole('heading', { name: 'Service acmebare' })
  expect(field('Service code').value).toBe('acmebare')
})

it('leads to a service and its admin site, by known codes without a network too (M9, M58)', async () => {
  await the.browser.open('/entrance')
  await find('acmetrade')
  await screen.findByRole('heading', { name: 'Service acmetrade' })
  expect(way('Go to the service')).toBe('https://www.acmetrade.m18.example/')
  expect(way('Go to the admin site')).toBe('https://admin.acmetrade.m18.example/')
  await the.user.click(button('Copy https://www.acmetrade.m18.example/'))
  await screen.findByText('Copied')
  expect(await navigator.clipboard.readText()).toBe('https://www.acmetrade.m18.example/')

  the.browser.goOffline()
  await the.browser.open('/entrance')
  await the.user.click(await screen.findByRole('button', { name: 'Show acmetrade' }))
  await screen.findByText(/^As last found here/)
  expect(way('Go to the service')).toBe('https://www.acmetrade.m18.example/')
  await find('acmetest')
  await screen.findByText('Code not exists')
  await the.user.click(button('Forget acmetrade'))
  await expect.poll(() => screen.queryByRole('heading', { name: 'Recent codes' })).toBeNull()
})

it('offers no admin site where the address gives none: its host does not begin with www (M58)', async () => {
  await the.browser.open('/entrance')
  await find('acmebare')
  await screen.findByRole('heading', { name: 'Service acmebare' })
  expect(way('Go to the service')).toBe('https://acmebare.m18.example/')
  expect(screen.queryByRole('link', { name: 'Go to the admin site' })).toBeNull()
  // Nor where it was kept.
  await the.browser.open('/entrance?code=acmebare')
  await screen.findByRole('heading', { name: 'Service acmebare' })
  expect(screen.queryByRole('link', { name: 'Go to the admin site' })).toBeNull()
})
