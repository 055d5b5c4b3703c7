import { screen } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { getButton, getField, readProblems } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
beforeEach(() =>
  runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
    const serviceFields = { create_time: 1, update_time: 1, company_id: fixture.server.world.companies.alpha }
    const [tradeUrl, bareUrl] = ['https://www.acmetrade.m18.example/', 'https://acmebare.m18.example/']
    await insertService(db, { ...serviceFields, code: 'acmetrade', name: 'Trade', url: tradeUrl })
    await insertService(db, { ...serviceFields, code: 'acmebare', name: 'Bare', url: bareUrl })
  }),
)

async function findService(code: string) {
  await fixture.user.clear(getField('Service code'))
  if (code) await fixture.user.type(getField('Service code'), code)
  // The button has another label while a code is being looked up, for example the code of the address.
  await fixture.user.click(await screen.findByRole('button', { name: 'Find service' }))
}
const readProblemTexts = () => Object.values(readProblems())
const getLink = (name: string) => screen.getByRole<HTMLAnchorElement>('link', { name }).href

it('The entrance reports a wrong code in the current language (M9)', async () => {
  await fixture.browser.open('/entrance')
  await findService('')
  await expect.poll(readProblemTexts).toEqual(['Please input "Service code" as it\'s required.'])
  for (const code of ['ab', '1abc', 'acme-trade', 'nosuch']) {
    await findService(code)
    await expect.poll(readProblemTexts).toEqual(['service does not exist'])
    expect(document.activeElement).toBe(getField('Service code'))
  }
  await findService('select')
  await expect.poll(readProblemTexts).toEqual(['"select" is reserved by system'])
  await findService('')
  await fixture.user.click(getButton('中文'))
  await expect.poll(readProblemTexts).toEqual([expect.stringMatching(/^请输入“服务代码”/)])
})

it('The entrance converts the code to lower case', async () => {
  // The language is removed from the address, and the code stays.
  await fixture.browser.open('/entrance?lang=en&code=ACME')
  expect(fixture.browser.path()).toBe('/entrance?code=ACME')
  await expect.poll(() => getField('Service code').value).toBe('acme')
  await findService('AcmeTrade')
  expect(getField('Service code').value).toBe('acmetrade')
  await screen.findByRole('heading', { name: 'Service acmetrade' })
})

it('The entrance accepts a code in full-width characters, also on Enter (fault 22g)', async () => {
  await fixture.browser.open('/entrance')
  await fixture.user.type(getField('Service code'), ' Ａｃｍｅｂａｒｅ{Enter}')
  await screen.findByRole('heading', { name: 'Service acmebare' })
  expect(getField('Service code').value).toBe('acmebare')
})

it('The entrance links to a service and its admin site, offline for codes found before (M9, M58)', async () => {
  await fixture.browser.open('/entrance')
  await findService('acmetrade')
  await screen.findByRole('heading', { name: 'Service acmetrade' })
  expect(getLink('Go to the service')).toBe('https://www.acmetrade.m18.example/')
  expect(getLink('Go to the admin site')).toBe('https://admin.acmetrade.m18.example/')
  await fixture.user.click(getButton('Copy https://www.acmetrade.m18.example/'))
  await screen.findByText('Copied')
  expect(await navigator.clipboard.readText()).toBe('https://www.acmetrade.m18.example/')

  fixture.browser.goOffline()
  await fixture.browser.open('/entrance')
  await fixture.user.click(await screen.findByRole('button', { name: 'Show acmetrade' }))
  await screen.findByText(/^This is the address as last found here/)
  expect(getLink('Go to the service')).toBe('https://www.acmetrade.m18.example/')
  await findService('acmetest')
  await screen.findByText('Code not exists')
  await fixture.user.click(getButton('Remove acmetrade'))
  await expect.poll(() => screen.queryByRole('heading', { name: 'Recent codes' })).toBeNull()
})

it('The entrance has no link to an admin site if the host does not begin with www (M58)', async () => {
  await fixture.browser.open('/entrance')
  await findService('acmebare')
  await screen.findByRole('heading', { name: 'Service acmebare' })
  expect(getLink('Go to the service')).toBe('https://acmebare.m18.example/')
  expect(screen.queryByRole('link', { name: 'Go to the admin site' })).toBeNull()
  // The link is missing for the stored service too.
  await fixture.browser.open('/entrance?code=acmebare')
  await screen.findByRole('heading', { name: 'Service acmebare' })
  expect(screen.queryByRole('link', { name: 'Go to the admin site' })).toBeNull()
})
