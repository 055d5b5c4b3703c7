/** The document as a page to read: every call open, so that the browser's own search finds everything. */
import type { Document, Operation, Parameter } from '#server/http/openapi-document.ts'
import type { JsonSchema } from '#server/http/openapi-schema.ts'
import { html, type Markup, type Part } from '#server/markup.ts'

const who: Record<Operation['x-who'], string> = {
  anybody: 'Anybody',
  user: 'Signed in',
  admin: 'Company admin',
  order: 'Order flag',
  providerAdmin: 'Provider admin',
  deleteLevel: 'Delete level',
  orderOrProviderAdmin: 'Order flag or provider admin',
}

const offline: Record<Operation['x-offline'], string> = {
  list: 'Offline: rows on the device',
  read: 'Offline: last answer',
  queue: 'Offline: waits in the queue',
  online: 'Needs a connection',
  relay: 'Watched by the client',
  none: 'Not asked by the page',
}

type Call = { method: string; path: string; operation: Operation }

export function page(document: Document): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = document.tags.map(({ name }) => ({
    name,
    calls: calls
      .filter(({ operation }) => operation.tags.includes(name))
      .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
  }))
  const { schemas } = document.components
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title}</title>
<link rel="stylesheet" href="/api/docs.css">
</head>
<body>
<a class="skip" href="#calls">Skip to the calls</a>
<header>
<h1>${document.info.title} <small>${document.info.version}</small></h1>
<p>${document.info.description.replaceAll('\n', ' ')}</p>
<p><a href="/api/openapi.json">The same as OpenAPI 3.1</a> · ${calls.length} calls</p>
</header>
<div class="frame">
<nav aria-label="Calls">${groups.map(contents)}<h2><a href="#rows">rows</a></h2></nav>
<main id="calls">${groups.map(section)}
<section id="rows"><h2>rows</h2>${Object.entries(schemas).map(([name, schema]) => row(name, schema))}</section>
</main>
</div>
</body>
</html>`.html
}

const contents = ({ name, calls }: { name: string; calls: Call[] }) => html`<h2><a href="#${name}">${name}</a></h2>
<ul>${calls.map((call) => html`<li><a href="#${call.operation.operationId}">${badge(call)} ${short(call.path)}</a></li>`)}</ul>`

const short = (path: string) => path.replace(/^\/api\//, '')

const badge = ({ method }: Call) => html`<b class="method ${method.toLowerCase()}">${method}</b>`

const section = ({ name, calls }: { name: string; calls: Call[] }) =>
  html`<section id="${name}"><h2>${name}</h2>${calls.map(article)}</section>`

function article(call: Call): Markup {
  const { operation } = call
  const parameters = operation.parameters.filter((parameter): parameter is Parameter => 'name' in parameter)
  const headers = operation.parameters.flatMap((parameter) => ('$ref' in parameter ? [last(parameter.$ref)] : []))
  return html`<article id="${operation.operationId}">
<h3>${badge(call)} <code>${call.path}</code></h3>
<p>${operation.summary}</p>
<p class="traits"><span>${who[operation['x-who']]}</span><span>${offline[operation['x-offline']]}</span>${traits(operation)}</p>
${parameters.length > 0 && fields('Parameters', parameters.map(asField))}
${operation.requestBody && body(operation.requestBody)}
${Object.entries(operation.responses).map(([status, response]) => success(status, response))}
<p class="quiet">${headers.length > 0 && html`Headers: ${headers.join(', ')}. `}Problems: ${problems(operation)}.</p>
</article>`
}

const traits = (operation: Operation): Part[] => [
  operation['x-relays'] !== undefined && html`<span>Long: 202, then ask</span>`,
  operation['x-secret'] === true && html`<span>Secret: never stored or logged</span>`,
]

const problems = ({ responses }: Operation) =>
  Object.keys(responses)
    .filter((status) => Number(status) >= 400)
    .join(', ')

const body = ({ content }: NonNullable<Operation['requestBody']>) => {
  const types = Object.keys(content).map((type) => type.replace(/^(application|multipart)\//, ''))
  return shape(`Body (${types.join(' or ')})`, Object.values(content)[0]?.schema ?? {})
}

function success(status: string, response: Operation['responses'][string]): Part {
  if ('$ref' in response || Number(status) >= 400) return false
  const schema = Object.values(response.content ?? {})[0]?.schema
  if (!schema) return html`<p class="quiet">Answers ${status}: nothing more.</p>`
  return shape(`Answers ${status}`, schema)
}

const row = (name: string, schema: JsonSchema) => html`<article id="row-${name}">${shape(name, schema, 'h3')}</article>`

interface Field {
  name: string
  required: boolean
  place: string
  schema: JsonSchema
}

const asField = ({ name, in: place, required = false, schema }: Parameter): Field => ({ name, place, required, schema })

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, place: '', required: required.includes(name), schema }))

/** An object as a table of its fields, alternatives one after the other, anything else in words. */
function shape(title: string, schema: JsonSchema, level: 'h3' | 'h4' = 'h4'): Part {
  if (schema.properties) return fields(title, fieldsOf(schema), level)
  const named = level === 'h3' ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`
  const either = schema.anyOf?.filter((one) => one.properties)
  if (either?.length) return [named, either.map((one, at) => fields(at ? 'or' : 'either', fieldsOf(one)))]
  return html`${named}<p>${type(schema)}</p>`
}

const fields = (title: string, rows: Field[], level: 'h3' | 'h4' = 'h4') =>
  html`${level === 'h3' ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`}<table><tbody>${rows.map(
    ({ name, required, place, schema }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type(schema)}${schema.description && html`<br><small>${schema.description}</small>`}</td>
<td class="quiet">${place} ${required ? 'required' : 'optional'}${schema.default !== undefined && ` = ${JSON.stringify(schema.default)}`}</td></tr>`,
  )}</tbody></table>`

/** A schema in words. */
function type(schema: JsonSchema): Part {
  if (schema.$ref) return html`<a href="#row-${last(schema.$ref)}">${last(schema.$ref)}</a>`
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map((one, at): Part => [at > 0 && ' or ', type(one)])
  if (schema.type === 'array') return ['list of ', type(schema.items ?? {})]
  if (schema.properties)
    return [
      '{ ',
      fieldsOf(schema).map(({ name, schema: inner }, at): Part => [at > 0 && ', ', name, ': ', type(inner)]),
      ' }',
    ]
  if (schema.type === 'object') return 'any fields'
  return [plain(schema), bounds(schema)]
}

function plain({ type: name, format, pattern }: JsonSchema): string {
  if (name === 'integer') return 'whole number'
  if (name === 'boolean') return 'true or false'
  if (name !== 'string') return name ?? 'anything'
  if (format === 'binary') return 'file'
  return pattern ? `text like ${pattern}` : 'text'
}

function bounds({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  const from = minimum ?? minLength
  const to = maximum ?? maxLength
  if (from === undefined && to === undefined) return ''
  const unit = maxLength === undefined && minLength === undefined ? '' : ' characters'
  return from === undefined
    ? `, up to ${to}${unit}`
    : to === undefined
      ? `, from ${from}${unit}`
      : `, ${from} to ${to}${unit}`
}

const last = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)
