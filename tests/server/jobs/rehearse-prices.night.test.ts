/** A price list tried on the contracts of all companies before it is confirmed (contracts 9, D3, D16, D49, Z-32). */
import { beforeEach, describe, expect, test } from 'vitest'
import { headers } from '#contract/headers.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { type Kinds, kinds } from '#server/jobs/registry.ts'
import { rehearsePrices } from '#server/jobs/rehearse-prices.ts'
import type { RehearseInput } from '#server/use-cases/catalogue/rehearse-prices.ts'
import { ask, workAll } from '#tests/server/jobs/requests.ts'
import { eachEngineByNight, pastPolicies } from '#tests/support/server/database.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import { addContracts } from '#tests/support/orders/many-contracts.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought, order, setUpShop } from '#tests/support/orders/shop-data.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }

eachEngineByNight('the rehearsal of a price list', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  let alpha: SignedIn
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
    alpha = await the.server.signIn('order@alpha')
  })

  const begin = (payload: object, by = staff, key: string = crypto.randomUUID()) =>
    by.send({ method: 'POST', url: '/api/pricelist/rehearse', headers: { [headers.key]: key }, payload })
  const bySteps = (most: number): Kinds => ({ 'rehearse-prices': rehearsePrices(most) as unknown as JobKind })
  const outcome = async (payload: object, by = staff, steps = kinds) => {
    const begun = await begin(payload, by)
    if (begun.statusCode !== 202) throw new Error(`it was not begun: ${begun.body}`)
    await workAll(the.server, steps)
    return (await ask(by, String(begun.headers.location))).json()
  }
  const whole = async (id: number | undefined) => (await staff.send({ url: `/api/prices/${id}` })).json()
  /** A list as the editor holds it. */
  const typed = async (change: object = {}, id = the.lists[1]) => {
    const { type, effective_date, desc, concurrentUser, namedUser, module, pdbPrice, ...prices } = await whole(id)
    const { uat_charge, uat_cap_hkd, uat_cap_usd, uat_cap_rmb, min_fee_hkd, min_fee_usd, min_fee_rmb } = prices
    const header = { uat_charge, uat_cap_hkd, uat_cap_usd, uat_cap_rmb, min_fee_hkd, min_fee_usd, min_fee_rmb }
    const plain = (rows: { id: number }[]) => rows.map(({ id: _id, ...row }) => row)
    const rows = { concurrentUser: plain(concurrentUser), namedUser: plain(namedUser), module: plain(module) }
    return { type, effective_date, desc, ...header, ...rows, pdbPrice, ...change }
  }

  test('sets what each contract was sold at against what the list asks for the same', async () => {
    await bought(the.server, alpha, { code: 'one' })
    const beta = await the.server.signIn('order@beta')
    await bought(the.server, beta, { code: 'two', currency: 'USD', users: 25, modules: ['core', 'fin', 'scm'], uat: 1 })
    await bought(the.server, beta, { code: 'three', users: 501 })
    // Not paid, and so no contract.
    await order(beta, { code: 'four' })
    const answer = await outcome({ id: the.lists[1] }, await the.server.signIn('second@m18'))
    // G01 and G26 of the agreed examples, and the same under list B.
    expect(answer).toMatchObject({ contracts: 3, failing: 1 })
    expect(answer.currencies).toMatchObject([
      { currency: 'HKD', contracts: 1, now: '42000.00', then: '44100.00', more: 1, less: 0, same: 0 },
      { currency: 'USD', contracts: 1, now: '11169.06', more: 0, less: 1, same: 0 },
      { currency: 'RMB', contracts: 0, now: '0.00', then: '0.00', more: 0, less: 0, same: 0 },
    ])
    const [hkd] = answer.currencies
    expect(hkd.histogram).toHaveLength(13)
    expect(hkd.histogram.filter(({ contracts }: { contracts: number }) => contracts > 0)).toEqual([
      { from: 5, to: 10, contracts: 1 },
    ])
    expect(answer.largest.find(({ currency }: { currency: string }) => currency === 'HKD')).toEqual({
      contract_id: expect.any(Number),
      code: expect.any(String),
      name: 'Shop',
      company: expect.stringContaining('ALPHA'),
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 10,
      modules: ['core', 'fin'],
      uat: 0,
      price_id: the.lists[0],
      now: '42000.00',
      then: '44100.00',
    })
    expect(answer.failures).toEqual([
      expect.objectContaining({
        users: 501,
        why: 'usersOutOfRange',
        missing: [],
        company: expect.stringContaining('BETA'),
      }),
    ])
  })

  test('of a list as it is typed goes by that, on a day that is taken, and keeps nothing of it', async () => {
    await bought(the.server, alpha, { code: 'one' })
    const counts = async () =>
      pastPolicies(the.server.app.database, async (db) => ({
        lists: (await db.selectFrom('price_list').select('id').execute()).length,
        trail: (await db.selectFrom('audit_entry').select('id').where('code', '=', 'price').execute()).length,
      }))
    const before = await counts()
    const same = await outcome({ list: await typed({}, the.lists[0]) })
    expect(same.currencies[0]).toMatchObject({ now: '42000.00', then: '42000.00', same: 1 })
    expect(same.largest).toEqual([])
    const dear = await outcome({ list: await typed({ min_fee_hkd: '84000.00' }) })
    expect(dear.currencies[0]).toMatchObject({ then: '84000.00', more: 1 })
    expect(await counts()).toEqual(before)
  })

  test('of a list with the highest prices there can be says sums longer than an amount', async () => {
    await bought(the.server, alpha, { code: 'one', users: 999_999 })
    const most = { hkd: '9999999999999.99', usd: '9999999999999.99', rmb: '9999999999999.99' }
    const { module } = await typed()
    const list = await typed({
      concurrentUser: [{ from: 1, to: 999_999, ...most }],
      module: module.map((row) => ({ ...row, ...most })),
    })
    const answer = await outcome({ list })
    expect(answer.currencies[0]).toMatchObject({ then: '10000009999999989999.99' })
    expect(answer.largest[0]).toMatchObject({ then: '10000009999999989999.99' })
  })

  test('of a list that prices nothing fails for all, and says which modules are missing (D16)', async () => {
    await bought(the.server, alpha, { code: 'one' })
    const answer = await outcome({ list: { type: 'saas', effective_date: '2027-05-01', desc: 'Empty' } })
    expect(answer).toMatchObject({ contracts: 1, failing: 1, largest: [] })
    expect(answer.failures).toMatchObject([
      { now: '42000.00', why: 'modulesNotListed', missing: ['core', 'fin'], code: null, name: null, company: null },
    ])
  })

  test('where there is no contract is nothing', async () => {
    const answer = await outcome({ id: the.lists[0] })
    expect(answer).toMatchObject({ contracts: 0, largest: [], failing: 0, failures: [] })
    expect(answer.currencies.map(({ now, then }: { now: string; then: string }) => [now, then])).toEqual(
      Array(3).fill(['0.00', '0.00']),
    )
  })

  test('names contracts to those alone who may see them (D49)', async () => {
    await bought(the.server, alpha, { code: 'one' })
    for (const [who, isNamed] of [
      ['admin@m18', false],
      ['delete@m18', false],
      ['second@m18', true],
    ] as const) {
      const { largest } = await outcome({ id: the.lists[1] }, await the.server.signIn(who))
      const [{ code, name, company }] = largest
      expect([who, code !== null, name !== null, company !== null]).toEqual([who, isNamed, isNamed, isNamed])
    }
  })

  describe('looks at what runs or is to come', () => {
    const looked = async () => (await outcome({ id: the.lists[0] })).contracts
    const put = (fields: object) =>
      pastPolicies(the.server.app.database, (db) => db.updateTable('contract').set(fields).execute())

    test('until its last day, and not after (D18)', async () => {
      await bought(the.server, alpha, { code: 'one' })
      await put({ period_end: '2026-03-03' })
      expect(await looked()).toBe(1)
      await put({ period_end: '2026-03-02' })
      expect(await looked()).toBe(0)
    })

    test('from before it begins', async () => {
      await bought(the.server, alpha, { code: 'one', period_start: '2026-03-20' })
      expect(await looked()).toBe(1)
    })

    test('not at what was overwritten, nor at the other client type', async () => {
      await bought(the.server, alpha, { code: 'one' })
      await put({ overwritten: true })
      expect(await looked()).toBe(0)
      await put({ overwritten: false, client_type: 'mma' })
      expect(await looked()).toBe(0)
    })

    test('at the fee of its last stretch (D11)', async () => {
      await bought(the.server, alpha, { code: 'one' })
      const stretch = (annual: string) => ({ start: '2026-03-02', end: '2027-03-02', annual })
      await put({ segments: JSON.stringify([stretch('1.00'), stretch('50000.00')]) })
      const answer = await outcome({ id: the.lists[0] })
      expect(answer.currencies[0]).toMatchObject({ now: '50000.00', then: '42000.00', less: 1 })
    })
  })

  describe('refuses', () => {
    test.each([
      ['neither of both', {}, 'id REQUIRED'],
      ['both', { id: 1, list: { type: 'saas', effective_date: '2027-05-01', desc: 'x' } }, 'list UNKNOWN_FIELD'],
      ['no description', { list: { type: 'saas', effective_date: '2027-05-01', desc: ' ' } }, 'desc REQUIRED'],
      [
        'a day that is none',
        { list: { type: 'saas', effective_date: '2027-02-29', desc: 'x' } },
        'effective_date INVALID_FORMAT',
      ],
      [
        'a percent too high',
        { list: { type: 'saas', effective_date: '2027-05-01', desc: 'x', uat_charge: '1000.00' } },
        'uat_charge OUT_OF_RANGE',
      ],
      [
        'a module that is not there',
        {
          list: {
            type: 'saas',
            effective_date: '2027-05-01',
            desc: 'x',
            module: [{ code: 'zzz', module_id: 1, ...charge }],
          },
        },
        'module.0.code MODULE_UNKNOWN',
      ],
    ])('%s', async (_, payload, problem) => {
      const answer = await begin(payload)
      expect([answer.statusCode, wrong(answer)]).toEqual([400, [problem]])
    })

    test('a list that is not there or was deleted', async () => {
      expect(told(await begin({ id: 999_999 }))).toEqual([404, 'NOT_FOUND'])
      const payload = { type: 'saas', effective_date: '2027-05-01', desc: 'x' }
      const { id } = (await staff.send({ method: 'POST', url: '/api/pricelist', payload })).json()
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
      expect(told(await begin({ id }))).toEqual([404, 'NOT_FOUND'])
    })

    test('but not a withdrawn list, which stays readable (decision 66)', async () => {
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${the.lists[1]}` })
      expect((await begin({ id: the.lists[1] })).statusCode).toBe(202)
    })

    test('customers, and the other client type without the delete level (Z-32, Z-33)', async () => {
      expect(told(await begin({ id: the.lists[0] }, alpha))).toEqual([403, 'FORBIDDEN'])
      expect(told(await begin({ id: the.lists[0] }, await the.server.signIn('order@m18')))).toEqual([403, 'FORBIDDEN'])
      const list = { type: 'mma', effective_date: '2027-05-01', desc: 'x' }
      expect(told(await begin({ list }))).toEqual([403, 'FORBIDDEN'])
      const level = await the.server.signIn('delete@m18')
      const { id } = (await level.send({ method: 'POST', url: '/api/pricelist', payload: list })).json()
      expect(told(await begin({ id }))).toEqual([403, 'FORBIDDEN'])
      expect(await outcome({ id }, level)).toMatchObject({ contracts: 0 })
    })
  })

  test('takes a list that was made by a write of the same user by its name (protocol 17)', async () => {
    const key = crypto.randomUUID()
    await staff.send({
      method: 'POST',
      url: '/api/pricelist',
      headers: { [headers.key]: key },
      payload: { type: 'saas', effective_date: '2027-05-01', desc: 'x' },
    })
    expect((await begin({ id: `~${key}` })).statusCode).toBe(202)
    expect(told(await begin({ id: `~${crypto.randomUUID()}` }))).toEqual([424, 'NAME_UNKNOWN'])
  })

  test('reports under the key that the page chose, and goes by the list as it was when it was asked', async () => {
    await bought(the.server, alpha, { code: 'one' })
    const begun = await begin({ id: the.lists[1], progressKey: 'abcdefgh' })
    expect(begun.json().progressKey).toBe('abcdefgh')
    await staff.send({ method: 'DELETE', url: `/api/pricelist/${the.lists[1]}` })
    await workAll(the.server, kinds)
    const answer = await ask(staff, String(begun.headers.location))
    expect(answer.json().currencies[0]).toMatchObject({ then: '44100.00' })
  })

  describe('of many contracts', () => {
    test('comes to the same however it is cut into steps', async () => {
      await addContracts(the.server, the.server.world.companies.alpha, the.lists[0] ?? 0, 40)
      const inOne = await outcome({ id: the.lists[1] }, staff, bySteps(1000))
      expect(inOne).toMatchObject({ contracts: 40, failing: 0 })
      expect(inOne.largest).toHaveLength(20)
      for (const most of [1, 7, 40]) expect(await outcome({ id: the.lists[1] }, staff, bySteps(most))).toEqual(inOne)
    })

    test('goes on from where a kill left it, and comes to an end although more is sold meanwhile', async () => {
      const { alpha: first, beta: second } = the.server.world.companies
      await addContracts(the.server, first, the.lists[0] ?? 0, 40)
      const expected = await outcome({ id: the.lists[1] })
      await begin({ id: the.lists[1] })
      const [job] = await pastPolicies(the.server.app.database, (db) =>
        db.selectFrom('job').select('input').where('end_time', 'is', null).execute(),
      )
      const kind = rehearsePrices(10)
      const work = { app: the.server.app, input: job?.input as RehearseInput }
      const counted = await kind.step({ ...work, point: null, tell: async () => undefined })
      if (counted.kind !== 'on') throw new Error('it was over at once')
      expect([counted.percent, counted.info]).toEqual([25, { name: '', message: '10 / 40' }])
      const written = JSON.stringify(counted.point)
      await addContracts(the.server, second, the.lists[0] ?? 0, 40)
      let point = JSON.parse(written)
      for (let steps = 1; ; steps++) {
        const step = await kind.step({ ...work, point, tell: async () => undefined })
        // What a step was given is as it was, should it be tried again.
        if (steps === 1) expect(JSON.stringify(point)).toBe(written)
        if (step.kind === 'done') {
          expect([steps, step.output.contracts, step.output.currencies]).toEqual([4, 40, expected.currencies])
          break
        }
        point = step.point
      }
    })

    nightly(
      'of ten thousand takes less than five seconds of a processor, tells how far it is, and lets others in between',
      async () => {
        await addContracts(the.server, the.server.world.companies.alpha, the.lists[0] ?? 0, 10_000)
        const begun = await begin({ id: the.lists[1] })
        const percents = new Set<number>()
        let isOver = false
        const others = async () => {
          while (!isOver) {
            const { body } = await ask(staff, String(begun.headers.location))
            percents.add(JSON.parse(body).percent)
            await new Promise((go) => setTimeout(go, 20))
          }
        }
        // Of this process, the embedded database in it: other work on the machine is not counted.
        const from = process.cpuUsage()
        const watching = others()
        await workAll(the.server, kinds)
        const { user, system } = process.cpuUsage(from)
        isOver = true
        await watching
        const answer = (await ask(staff, String(begun.headers.location))).json()
        expect(answer.contracts).toBe(10_000)
        expect((user + system) / 1000).toBeLessThan(5000)
        // Somebody else was answered between its twenty steps.
        expect(percents.size).toBeGreaterThan(3)
      },
      60_000,
    )
  })
})
