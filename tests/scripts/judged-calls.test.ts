/** The requests with which the judges send every call (`tests/campaigns/judges/responses`). */
import * as z from 'zod/mini'
import { expect, test } from 'vitest'
import type { ValueSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { createOrder } from '#contract/orders.ts'
import { deleteUser, listUsers } from '#contract/users.ts'
import { buildValue } from '#tests/campaigns/judges/responses/build-value.ts'
import { KnownValues } from '#tests/campaigns/judges/responses/known-values.ts'
import { buildWorkflows, type Workflow } from '#tests/campaigns/judges/responses/workflows.ts'

const knownValues = new KnownValues()
knownValues.userId = 3
knownValues.add(listUsers, { count: 2, data: [3, 4].map((id) => ({ id, email: `${id}@example.com`, company_id: 2 })) })

const buildAll = () =>
  buildWorkflows(endpoints, { name: 'admin', knownValues, authorize: () => Promise.resolve('Bearer x') }, [
    '/tmp/a',
    '/tmp/b',
  ])
const getCall = ({ workflowId }: Workflow) => workflowId.split('-')[1] ?? ''
const getParameter = ({ steps: [step] }: Workflow, name: string) =>
  step?.parameters.find((parameter) => parameter.name === name)?.value

test('Every call is sent, and the writes of each method and secrecy follow the reads', async () => {
  const workflows = await buildAll()
  expect(new Set(workflows.map(getCall))).toEqual(new Set(endpoints.map(({ name }) => name)))
  const methods = workflows.map((workflow) => endpoints.find(({ name }) => name === getCall(workflow))?.method)
  expect(methods.lastIndexOf('GET')).toBeLessThan(methods.findIndex((method) => method !== 'GET'))
  expect(methods.slice(methods.indexOf('DELETE')).every((method) => method === 'DELETE')).toBe(true)
})

test('Each keyed write has a key of its own, by which its outcome is read', async () => {
  const workflows = (await buildAll()).filter(({ steps }) => steps.length > 1)
  const keys = workflows.map((workflow) => getParameter(workflow, 'idempotency-key'))
  expect(new Set(keys).size).toBe(workflows.length)
  expect(workflows.length).toBeGreaterThan(50)
  expect(workflows.map(({ steps }) => steps[1]?.parameters[0]?.value)).toEqual(keys.map((key) => `~${String(key)}`))
})

test('A deletion leaves out the caller', async () => {
  const deletions = (await buildAll()).filter((workflow) => getCall(workflow) === deleteUser.name)
  expect(deletions.map((workflow) => getParameter(workflow, 'id'))).toEqual([4])
})

test('A body has values that its schema accepts, and known values before examples', () => {
  const options = { knownValues, variant: 0, hasOptionalFields: false, isDeletion: false }
  const orderSchema = createOrder.body as ValueSchema
  expect(z.safeParse(orderSchema, buildValue(orderSchema, '', options)).success).toBe(true)
  const body = z.object({ email: z.string(), company_id: z.int(), note: z.optional(z.string()) })
  expect(buildValue(body, '', options)).toEqual({ email: '3@example.com', company_id: 2 })
  const fullOptions = { ...options, hasOptionalFields: true, variant: 1 }
  expect(buildValue(body, '', fullOptions)).toMatchObject({ email: '4@example.com', note: expect.any(String) })
})
