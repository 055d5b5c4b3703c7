import { expect, it } from 'vitest'
import { buildAddressLines } from '#domain/accounts/company-address.ts'

it('The address of a company has its lines, then city, province and country once each', () => {
  const address = { addr1: '8 Pier Road', addr2: '', addr3: null, city: 'Wan Chai', province: null }
  expect(buildAddressLines(address, 'Hong Kong')).toEqual(['8 Pier Road', 'Wan Chai, Hong Kong'])
  expect(buildAddressLines({ ...address, addr1: null, city: 'Hong Kong' }, 'Hong Kong')).toEqual(['Hong Kong'])
  expect(buildAddressLines({ city: null }, null)).toEqual([])
})

it('A country is left out if it is the city in any language', () => {
  expect(buildAddressLines({ city: 'Hong Kong', country: 'HK' }, '香港')).toEqual(['Hong Kong'])
  expect(buildAddressLines({ city: ' 香港', province: null, country: 'HK' }, 'Hong Kong')).toEqual([' 香港'])
  expect(buildAddressLines({ city: 'Hong Kong', country: 'CN' }, '中国')).toEqual(['Hong Kong, 中国'])
})
