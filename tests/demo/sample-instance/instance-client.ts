/** A browser of one user on one site of an instance, over HTTP with the header `Host` of the site. */
import { request } from 'node:http'
import type { ContractTask } from '#tests/support/hosting/contract-instance.ts'

interface PageResponse {
  status: number
  body: string
  cookies: readonly string[]
}

interface SentPage {
  method?: string
  cookie?: string
  authorization?: string
  form?: Record<string, string>
}

export class InstanceClient {
  readonly #task: ContractTask
  readonly #host: string
  readonly #cookie: string
  /** Status of the login. */
  readonly status: number

  private constructor(task: ContractTask, host: string, cookie: string, status: number) {
    this.#task = task
    this.#host = host
    this.#cookie = cookie
    this.status = status
  }

  static async signIn(task: ContractTask, host: string, password: string, user = 'admin'): Promise<InstanceClient> {
    const { status, cookies } = await sendPage(task, host, '/sign-in', { form: { user, password } })
    return new InstanceClient(task, host, cookies.map((cookie) => cookie.split(';')[0]).join('; '), status)
  }

  /** Sends a control request with this header `Host`, and returns its status. */
  static async control(task: ContractTask, host: string, path: string, token: string): Promise<number> {
    return (await sendPage(task, host, path, { authorization: `Bearer ${token}` })).status
  }

  /** Returns the same session on another task. */
  on(task: ContractTask): InstanceClient {
    return new InstanceClient(task, this.#host, this.#cookie, this.status)
  }

  get(path: string): Promise<PageResponse> {
    return sendPage(this.#task, this.#host, path, { cookie: this.#cookie })
  }

  async post(path: string, form: Record<string, string> = {}): Promise<PageResponse> {
    const { body } = await this.get(this.#host.startsWith('admin.') ? '/users' : '/items/new')
    const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
    return await sendPage(this.#task, this.#host, path, { cookie: this.#cookie, form: { csrf, ...form } })
  }

  addItem(code: string): Promise<PageResponse> {
    return this.post('/items/new', { code, name: 'Screws', quantity: '1.5', unit: 'box' })
  }
}

function sendPage(
  { url }: ContractTask,
  host: string,
  path: string,
  { form, cookie = '', authorization = '' }: SentPage,
): Promise<PageResponse> {
  const body = form && new URLSearchParams(form).toString()
  const headers = { host, cookie, authorization, ...(body && { 'content-length': Buffer.byteLength(body) }) }
  return new Promise((resolve, reject) => {
    const sentRequest = request(url + path, { method: form ? 'POST' : 'GET', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, cookies: response.headers['set-cookie'] ?? [] }),
      )
    })
    sentRequest.on('error', reject).end(body)
  })
}
