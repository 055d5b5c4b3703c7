import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type EntranceService,
  storeFoundServices,
  readFoundServices,
  addFoundService,
  removeServiceCode,
} from '#features/entrance/found-services.ts'

const storedItems = new Map<string, string>()
beforeEach(() => {
  storedItems.clear()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => storedItems.get(name) ?? null,
    setItem: (name: string, value: string) => void storedItems.set(name, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

const createService = (code: string, overrides: Partial<EntranceService> = {}): EntranceService => ({
  code,
  url: `https://${code}.example/`,
  adminUrl: `https://admin.${code}.example/`,
  at: 1,
  ...overrides,
})

it('The last five codes found at the entrance are stored, the latest first and each once', () => {
  const services = ['one', 'two', 'three', 'four', 'two', 'five', 'six'].reduce<EntranceService[]>(
    (previousServices, code) => addFoundService(previousServices, createService(code)),
    [],
  )
  expect(services.map(({ code }) => code)).toEqual(['six', 'five', 'two', 'four', 'three'])
  storeFoundServices(services)
  expect(readFoundServices()).toEqual(services)
  expect(removeServiceCode(services, 'two').map(({ code }) => code)).toEqual(['six', 'five', 'four', 'three'])
})

it('Invalid stored services are ignored, such as a script as the address', () => {
  const storedValues = [
    createService('a', { url: 'javascript:alert(1)' }),
    { code: 'b' },
    null,
    7,
    createService('fine'),
  ]
  storedItems.set('portal.entrance', JSON.stringify(storedValues))
  expect(readFoundServices().map(({ code }) => code)).toEqual(['fine'])
  for (const text of ['', '{', '{}', 'null']) {
    storedItems.set('portal.entrance', text)
    expect(readFoundServices()).toEqual([])
  }
})

it('Without storage nothing is remembered and nothing fails', () => {
  vi.stubGlobal('localStorage', undefined)
  expect(readFoundServices()).toEqual([])
  storeFoundServices([createService('a')])
})
