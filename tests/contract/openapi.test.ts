import Fastify, { type FastifyInstance } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { problemStatus } from '#contract/problem.ts'
import type { OpenApiDocument, OpenApiOperation } from '#server/http/openapi/document.ts'
import { readConfig } from '#server/config/config.ts'
import { serveOpenApi } from '#server/http/openapi/openapi-routes.ts'
import { findMarker } from '#tests/architecture/plain-language.ts'

let fastify: FastifyInstance
let withDocs: FastifyInstance
let document: OpenApiDocument
let operations: (OpenApiOperation & { at: string })[]

beforeAll(async () => {
  fastify = Fastify()
  serveOpenApi(fastify, endpoints, { apiDocs: false })
  withDocs = Fastify()
  serveOpenApi(withDocs, endpoints, { apiDocs: true })
  document = (await fastify.inject('/api/openapi.json')).json()
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, at: `${method.toUpperCase()} ${path}` })),
  )
})

/** Yields every object in the document, at any depth. */
function* listObjects(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const inner of Object.values(value)) yield* listObjects(inner)
}

describe('the OpenAPI document', () => {
  test('contains every endpoint exactly once, under its own name', () => {
    const rows = endpoints.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(operations.map(({ at: route }) => route).toSorted()).toEqual(rows.toSorted())
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length)
  })

  test('declares OpenAPI 3.1 with a title, a version, tags and response codes', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.title).not.toBe('')
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/)
    for (const operation of operations) {
      expect(operation.summary).not.toBe('')
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags))
      expect(operation.tags).toHaveLength(1)
      const statuses = Object.keys(operation.responses).filter((status) => status !== 'default')
      expect(statuses.every((status) => /^[2-5]\d\d$/.test(status))).toBe(true)
      expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true)
      const inPath = operation.parameters.flatMap((parameter) =>
        'name' in parameter && parameter.in === 'path' ? [`{${parameter.name}}`] : [],
      )
      expect(inPath).toEqual(operation.at.match(/\{\w+\}/g) ?? [])
      if (operation.at.startsWith('GET')) expect(operation.requestBody).toBeUndefined()
    }
  })

  test('is written in plain English, and each summary starts with a verb in the third person', () => {
    const texts = [...listObjects(document)].flatMap(({ summary, description }) => [summary, description])
    expect(texts.filter((text) => typeof text === 'string' && findMarker(text))).toEqual([])
    expect(operations.filter(({ summary }) => !/^[A-Z][a-z]+s /.test(summary)).map(({ at }) => at)).toEqual([])
  })

  test('refers only to parts that it contains', () => {
    const references = [...listObjects(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    expect(references.length).toBeGreaterThan(100)
    const resolve = (reference: string) =>
      reference
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document)
    expect([...new Set(references)].filter((reference) => !reference.startsWith('#/') || !resolve(reference))).toEqual(
      [],
    )
  })

  test('states who may call an endpoint, how it works offline and which list it fills', () => {
    const getOperation = (name: string) => operations.find(({ operationId }) => operationId === name)
    expect(getOperation('listUsers')).toMatchObject({
      'x-who': 'admin',
      'x-offline': 'list',
      'x-fills': { table: 'users', sort: ['name', 'asc'], scope: { column: 'company_id', param: 'companyId' } },
      security: [{ bearer: [] }],
    })
    expect(getOperation('updateModule')).toMatchObject({
      'x-queues': { kind: 'module', table: 'modules', versioned: true },
    })
    expect(getOperation('createService')).toMatchObject({ 'x-relays': 'create-service', responses: { 202: {} } })
    expect(getOperation('grantToken')).toMatchObject({ 'x-secret': true, security: [{ client: [] }] })
    expect(getOperation('registerCompany')?.security).toEqual([])
    expect(Object.keys(getOperation('grantToken')?.requestBody?.content ?? {})).toEqual([
      'application/x-www-form-urlencoded',
      'application/json',
    ])
    expect(Object.keys(getOperation('uploadApp')?.requestBody?.content ?? {})).toEqual(['multipart/form-data'])
  })

  test('lists every code of the error catalogue with its status', () => {
    const documentedStatus = Object.entries(document.components.responses).flatMap(([name, { description }]) =>
      description.split(', ').map((code) => [code, Number(name.replace('Problem', ''))]),
    )
    expect(Object.fromEntries(documentedStatus)).toEqual(problemStatus)
  })

  test('declares each status that a call returns for its input, its credential and its version', () => {
    const hasStatus = (name: string, status: string) =>
      status in (operations.find(({ operationId }) => operationId === name)?.responses ?? {})
    const listCalls = (names: readonly string[], status: string) => names.filter((name) => hasStatus(name, status))
    expect(listCalls(['keepTrail', 'serviceUrl', 'getOrder', 'getSettings'], '404')).toEqual([
      'keepTrail',
      'serviceUrl',
      'getOrder',
    ])
    expect(listCalls(['stripeCalls', 'codeExists', 'serviceUrl', 'getAsset'], '401')).toEqual([
      'stripeCalls',
      'codeExists',
    ])
    expect(listCalls(['updateCustomerNote', 'deleteCustomerNote', 'updateModule', 'createUser'], '412')).toEqual([
      'updateCustomerNote',
      'deleteCustomerNote',
      'updateModule',
    ])
    expect(operations.filter(({ operationId }) => !hasStatus(operationId, '501'))).toEqual([])
  })

  test('allows any status only for calls that return the outcome of another call', () => {
    const calls = operations.filter(({ responses }) => 'default' in responses).map(({ operationId }) => operationId)
    expect(calls).toEqual(['getRequest', 'voidRequest'])
  })

  test('offers a key only for keyed writes, and a version only for versioned writes', () => {
    const listParameters = (name: string) =>
      operations
        .find(({ operationId }) => operationId === name)
        ?.parameters.flatMap((parameter) => ('$ref' in parameter ? [parameter.$ref.split('/').at(-1)] : []))
    expect(listParameters('updateCompanyUser')).toEqual(['Key', 'Intent', 'ForUser', 'Version'])
    expect(listParameters('createUser')).toEqual(['Key', 'Intent', 'ForUser'])
    expect(listParameters('grantToken')).toEqual([])
    expect(listParameters('listUsers')).toEqual([])
    expect(listParameters('sendBatch')).toEqual([])
  })
})

test('The OpenAPI document lists the pairs and conditions that query/field accepts (fault 37q)', () => {
  const { description = '' } = operations.find(({ operationId }) => operationId === 'fieldExists') ?? {}
  for (const [resource, field] of [
    ['user', 'email'],
    ['user', 'name'],
    ['module', 'code'],
    ['price', 'effective_date'],
  ])
    expect(description).toContain(`| ${resource} | ${field} |`)
  expect(description).toMatch(/conds=not%3D7%26type%3Dsaas/)
})

test('The OpenAPI document explains that a PUT takes its id in the path or the body (fault 37o)', () => {
  expect(document.info.description).toContain('A PUT takes the id of its row in the path or as `id` in the body')
})

describe('GET /api/docs', () => {
  test('shows the document with scripts and styles of its own files only (H-01, S-06)', async () => {
    const page = await withDocs.inject('/api/docs')
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(page.headers['content-security-policy']).split('; ')
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]))
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
    expect(page.body).not.toMatch(/<script(?![^>]* src="\/api\/docs\/)|<style|style=| on\w+=/)
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(4)
    for (const url of links) expect([url, (await withDocs.inject(url)).statusCode]).toEqual([url, 200])
    expect((await withDocs.inject('/api/docs/json')).json()).toEqual(document)
  })

  test('returns 404 unless enabled, while the document is always available', async () => {
    for (const url of ['/api/docs', '/api/docs/', '/api/docs/json', '/api/docs/static/swagger-ui.css'])
      expect([url, (await fastify.inject(url)).statusCode]).toEqual([url, 404])
    expect((await fastify.inject('/api/openapi.json')).statusCode).toBe(200)
  })

  test('is enabled in the demo and disabled elsewhere, unless API_DOCS is set', () => {
    const apiDocs = (env: Record<string, string>) => readConfig(env).apiDocs
    expect(apiDocs({})).toBe(true)
    expect(apiDocs({ API_DOCS: '0' })).toBe(false)
    expect(apiDocs({ DEMO: '0' })).toBe(false)
    expect(apiDocs({ DEMO: '0', API_DOCS: '1' })).toBe(true)
  })
})
