import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { getPriceList } from '#contract/prices.ts'
import { clientType, ref } from '#contract/values.ts'

export const reinstatePriceList = defineEndpoint({
  name: 'reinstatePriceList',
  method: 'POST',
  path: '/api/pricelist/:id/reinstate',
  summary: 'Reinstates a withdrawn price list, unless a later one is in force (STATE_CONFLICT)',
  access: 'providerAdmin',
  matrix: 'Z-32',
  params: z.object({ id: ref('price') }),
  output: getPriceList.output,
  offline: 'online',
  stepUp: () => true,
})

export const listPriceListUses = defineEndpoint({
  name: 'listPriceListUses',
  method: 'GET',
  path: '/api/pricelist/uses',
  summary: 'Returns the numbers of contracts, unpaid orders and backup orders per used price list, over all companies',
  access: 'providerAdmin',
  matrix: 'Z-32',
  query: z.object({ type: z._default(clientType, 'saas') }),
  output: z.array(z.object({ id: z.int(), contracts: z.int(), orders: z.int(), backups: z.int() })),
  offline: 'read',
})
