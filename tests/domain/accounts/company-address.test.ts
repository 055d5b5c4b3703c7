import { expect, it } from 'vitest'
import { buildAddressLines } from '#domain/accounts/company-address.ts'

it('The address of a company has its lines, then city, province and country once each', () => {
  const address = { addr1: '8 Pier Road', addr2: '', addr3: null, city: 'Wan Chai', province: null }
  expect(buildAddressLines(address, 'Hong Kong')).toEqual(['8 Pier Road', 'Wan Chai, Hong Kong'])
  expect(buildAddressLines({ ...address, addr1: null, city: 'Hong Kong' }, 'Hong Kong')).toEqual(['Hong Kong'])
  expect(buildAddressLines({ city: null }, null)).toEqual([])
})
