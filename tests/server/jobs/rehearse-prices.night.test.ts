/**
 * Tests the rehearsal of a price list: before its confirmation it is compared with the contracts of all companies (contracts 9, D3, D16,
 * D49, Z-32).
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { headers } from '#contract/headers.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { type JobKinds, requestJobKinds } from '#server/jobs/job-registry.ts'
import { createRehearsalJob } from '#server/jobs/rehearse-prices.ts'
import type { RehearseInput } from '#server/use-cases/catalogue/rehearse-prices.ts'
import { readJobStatus, runAllJobs } from '#tests/server/jobs/requests.ts'
import { eachEngineByNight, bypassPolicies } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { addContracts } from '#tests/support/orders/many-contracts.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder, placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }

eachEngineByNight('the rehearsal of a price list', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let alpha: SignedIn
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
    alpha = await fixture.server.signIn('order@alpha')
  })

  const startRehearsal = (payload: object, sender = staff, key: string = crypto.randomUUID()) =>
    sender.send({ method: 'POST', url: '/api/pricelist/rehearse', headers: { [headers.key]: key }, payload })
  const createJobKinds = (maxContracts: number): JobKinds => ({
    'rehearse-prices': createRehearsalJob(maxContracts) as unknown as JobKind,
  })
  const readOutcome = async (payload: object, sender = staff, jobKinds = requestJobKinds) => {
    const startResponse = await startRehearsal(payload, sender)
    if (startResponse.statusCode !== 202) throw new Error(`it was not begun: ${startResponse.body}`)
    await runAllJobs(fixture.server, jobKinds)
    return (await readJobStatus(sender, String(startResponse.headers.location))).json()
  }
  const readPriceList = async (id: number | undefined) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const buildListInput = async (changedFields: object = {}, id = fixture.priceListIds[1]) => {
    const { type, effective_date, desc, concurrentUser, namedUser, module, pdbPrice, ...prices } =
      await readPriceList(id)
    const { uat_charge, uat_cap_hkd, uat_cap_usd, uat_cap_rmb, min_fee_hkd, min_fee_usd, min_fee_rmb } = prices
    const header = { uat_charge, uat_cap_hkd, uat_cap_usd, uat_cap_rmb, min_fee_hkd, min_fee_usd, min_fee_rmb }
    const withoutIds = (rows: { id: number }[]) => rows.map(({ id: _id, ...row }) => row)
    const rows = {
      concurrentUser: withoutIds(concurrentUser),
      namedUser: withoutIds(namedUser),
      module: withoutIds(module),
    }
    return { type, effective_date, desc, ...header, ...rows, pdbPrice, ...changedFields }
  }

  test('compares the current fee of each contract with its fee under the list', async () => {
    await buyOrder(fixture.server, alpha, { code: 'one' })
    const beta = await fixture.server.signIn('order@beta')
    await buyOrder(fixture.server, beta, {
      code: 'two',
      currency: 'USD',
      users: 25,
      modules: ['core', 'fin', 'scm'],
      uat: 1,
    })
    await buyOrder(fixture.server, beta, { code: 'three', users: 501 })
    // This order is not paid, so there is no contract for it.
    await placeOrder(beta, { code: 'four' })
    const outcome = await readOutcome({ id: fixture.priceListIds[1] }, await fixture.server.signIn('second@m18'))
    // The amounts are those of the agreed examples G01 and G26, under list A and under list B.
    expect(outcome).toMatchObject({ contracts: 3, failing: 1 })
    expect(outcome.currencies).toMatchObject([
      { currency: 'HKD', contracts: 1, now: '42000.00', then: '44100.00', more: 1, less: 0, same: 0 },
      { currency: 'USD', contracts: 1, now: '11169.06', more: 0, less: 1, same: 0 },
      { currency: 'RMB', contracts: 0, now: '0.00', then: '0.00', more: 0, less: 0, same: 0 },
    ])
    const [hkd] = outcome.currencies
    expect(hkd.histogram).toHaveLength(13)
    expect(hkd.histogram.filter(({ contracts }: { contracts: number }) => contracts > 0)).toEqual([
      { from: 5, to: 10, contracts: 1 },
    ])
    expect(outcome.largest.find(({ currency }: { currency: string }) => currency === 'HKD')).toEqual({
      contract_id: expect.any(Number),
      code: expect.any(String),
      name: 'Shop',
      company: expect.stringContaining('ALPHA'),
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 10,
      modules: ['core', 'fin'],
      uat: 0,
      price_id: fixture.priceListIds[0],
      now: '42000.00',
      then: '44100.00',
    })
    expect(outcome.failures).toEqual([
      expect.objectContaining({
        users: 501,
        why: 'usersOutOfRange',
        missing: [],
        company: expect.stringContaining('BETA'),
      }),
    ])
  })

  test('uses an unsaved list on the given day and stores nothing', async () => {
    await buyOrder(fixture.server, alpha, { code: 'one' })
    const countRows = async () =>
      bypassPolicies(fixture.server.app.database, async (db) => ({
        lists: (await db.selectFrom('price_list').select('id').execute()).length,
        trail: (await db.selectFrom('audit_entry').select('id').where('code', '=', 'price').execute()).length,
      }))
    const countsBefore = await countRows()
    const sameOutcome = await readOutcome({ list: await buildListInput({}, fixture.priceListIds[0]) })
    expect(sameOutcome.currencies[0]).toMatchObject({ now: '42000.00', then: '42000.00', same: 1 })
    expect(sameOutcome.largest).toEqual([])
    const dearOutcome = await readOutcome({ list: await buildListInput({ min_fee_hkd: '84000.00' }) })
    expect(dearOutcome.currencies[0]).toMatchObject({ then: '84000.00', more: 1 })
    expect(await countRows()).toEqual(countsBefore)
  })

  test('reports sums that are longer than a stored amount', async () => {
    await buyOrder(fixture.server, alpha, { code: 'one', users: 999_999 })
    const maxCharge = { hkd: '9999999999999.99', usd: '9999999999999.99', rmb: '9999999999999.99' }
    const { module } = await buildListInput()
    const list = await buildListInput({
      concurrentUser: [{ from: 1, to: 999_999, ...maxCharge }],
      module: module.map((row) => ({ ...row, ...maxCharge })),
    })
    const outcome = await readOutcome({ list })
    expect(outcome.currencies[0]).toMatchObject({ then: '10000009999999989999.99' })
    expect(outcome.largest[0]).toMatchObject({ then: '10000009999999989999.99' })
  })

  test('reports a failure for every contract under an empty list, and names the missing modules (D16)', async () => {
    await buyOrder(fixture.server, alpha, { code: 'one' })
    const outcome = await readOutcome({ list: { type: 'saas', effective_date: '2027-05-01', desc: 'Empty' } })
    expect(outcome).toMatchObject({ contracts: 1, failing: 1, largest: [] })
    expect(outcome.failures).toMatchObject([
      { now: '42000.00', why: 'modulesNotListed', missing: ['core', 'fin'], code: null, name: null, company: null },
    ])
  })

  test('returns zeros if there are no contracts', async () => {
    const outcome = await readOutcome({ id: fixture.priceListIds[0] })
    expect(outcome).toMatchObject({ contracts: 0, largest: [], failing: 0, failures: [] })
    expect(outcome.currencies.map(({ now, then }: { now: string; then: string }) => [now, then])).toEqual(
      Array(3).fill(['0.00', '0.00']),
    )
  })

  test('names contracts only to users who may see them (D49)', async () => {
    await buyOrder(fixture.server, alpha, { code: 'one' })
    for (const [userName, isNamed] of [
      ['admin@m18', false],
      ['delete@m18', false],
      ['second@m18', true],
    ] as const) {
      const { largest } = await readOutcome({ id: fixture.priceListIds[1] }, await fixture.server.signIn(userName))
      const [{ code, name, company }] = largest
      expect([userName, code !== null, name !== null, company !== null]).toEqual([userName, isNamed, isNamed, isNamed])
    }
  })

  describe('the selection of contracts', () => {
    const countContracts = async () => (await readOutcome({ id: fixture.priceListIds[0] })).contracts
    const updateContracts = (fields: object) =>
      bypassPolicies(fixture.server.app.database, (db) => db.updateTable('contract').set(fields).execute())

    test('counts a contract until its last day (D18)', async () => {
      await buyOrder(fixture.server, alpha, { code: 'one' })
      await updateContracts({ period_end: '2026-03-03' })
      expect(await countContracts()).toBe(1)
      await updateContracts({ period_end: '2026-03-02' })
      expect(await countContracts()).toBe(0)
    })

    test('counts a contract that has not started yet', async () => {
      await buyOrder(fixture.server, alpha, { code: 'one', period_start: '2026-03-20' })
      expect(await countContracts()).toBe(1)
    })

    test('skips overwritten contracts and contracts of the other client type', async () => {
      await buyOrder(fixture.server, alpha, { code: 'one' })
      await updateContracts({ overwritten: true })
      expect(await countContracts()).toBe(0)
      await updateContracts({ overwritten: false, client_type: 'mma' })
      expect(await countContracts()).toBe(0)
    })

    test('uses the fee of the last segment of a contract (D11)', async () => {
      await buyOrder(fixture.server, alpha, { code: 'one' })
      const createSegment = (annual: string) => ({ start: '2026-03-02', end: '2027-03-02', annual })
      await updateContracts({ segments: JSON.stringify([createSegment('1.00'), createSegment('50000.00')]) })
      const outcome = await readOutcome({ id: fixture.priceListIds[0] })
      expect(outcome.currencies[0]).toMatchObject({ now: '50000.00', then: '42000.00', less: 1 })
    })
  })

  describe('the validation of the request', () => {
    test.each([
      ['a request with neither an id nor a list', {}, 'id REQUIRED'],
      [
        'a request with an id and a list',
        { id: 1, list: { type: 'saas', effective_date: '2027-05-01', desc: 'x' } },
        'list UNKNOWN_FIELD',
      ],
      [
        'a list without a description',
        { list: { type: 'saas', effective_date: '2027-05-01', desc: ' ' } },
        'desc REQUIRED',
      ],
      [
        'an invalid date',
        { list: { type: 'saas', effective_date: '2027-02-29', desc: 'x' } },
        'effective_date INVALID_FORMAT',
      ],
      [
        'a percentage that is too high',
        { list: { type: 'saas', effective_date: '2027-05-01', desc: 'x', uat_charge: '1000.00' } },
        'uat_charge OUT_OF_RANGE',
      ],
      [
        'an unknown module',
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
    ])('rejects %s', async (_, payload, problem) => {
      const response = await startRehearsal(payload)
      expect([response.statusCode, readFieldErrors(response)]).toEqual([400, [problem]])
    })

    test('rejects a list that does not exist or was deleted', async () => {
      expect(readStatusAndCode(await startRehearsal({ id: 999_999 }))).toEqual([404, 'NOT_FOUND'])
      const payload = { type: 'saas', effective_date: '2027-05-01', desc: 'x' }
      const { id } = (await staff.send({ method: 'POST', url: '/api/pricelist', payload })).json()
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
      expect(readStatusAndCode(await startRehearsal({ id }))).toEqual([404, 'NOT_FOUND'])
    })

    test('accepts a withdrawn list, which stays readable (decision 66)', async () => {
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${fixture.priceListIds[1]}` })
      expect((await startRehearsal({ id: fixture.priceListIds[1] })).statusCode).toBe(202)
    })

    test('rejects customers, and the other client type without the delete level (Z-32, Z-33)', async () => {
      expect(readStatusAndCode(await startRehearsal({ id: fixture.priceListIds[0] }, alpha))).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(
        readStatusAndCode(
          await startRehearsal({ id: fixture.priceListIds[0] }, await fixture.server.signIn('order@m18')),
        ),
      ).toEqual([403, 'FORBIDDEN'])
      const list = { type: 'mma', effective_date: '2027-05-01', desc: 'x' }
      expect(readStatusAndCode(await startRehearsal({ list }))).toEqual([403, 'FORBIDDEN'])
      const deleteUser = await fixture.server.signIn('delete@m18')
      const { id } = (await deleteUser.send({ method: 'POST', url: '/api/pricelist', payload: list })).json()
      expect(readStatusAndCode(await startRehearsal({ id }))).toEqual([403, 'FORBIDDEN'])
      expect(await readOutcome({ id }, deleteUser)).toMatchObject({ contracts: 0 })
    })
  })

  test('accepts a reference to a list that the same user created (protocol 17)', async () => {
    const key = crypto.randomUUID()
    await staff.send({
      method: 'POST',
      url: '/api/pricelist',
      headers: { [headers.key]: key },
      payload: { type: 'saas', effective_date: '2027-05-01', desc: 'x' },
    })
    expect((await startRehearsal({ id: `~${key}` })).statusCode).toBe(202)
    expect(readStatusAndCode(await startRehearsal({ id: `~${crypto.randomUUID()}` }))).toEqual([424, 'NAME_UNKNOWN'])
  })

  test('reports under the progress key of the page and uses the list as it was at the request', async () => {
    await buyOrder(fixture.server, alpha, { code: 'one' })
    const startResponse = await startRehearsal({ id: fixture.priceListIds[1], progressKey: 'abcdefgh' })
    expect(startResponse.json().progressKey).toBe('abcdefgh')
    await staff.send({ method: 'DELETE', url: `/api/pricelist/${fixture.priceListIds[1]}` })
    await runAllJobs(fixture.server, requestJobKinds)
    const response = await readJobStatus(staff, String(startResponse.headers.location))
    expect(response.json().currencies[0]).toMatchObject({ then: '44100.00' })
  })

  describe('with many contracts', () => {
    test('returns the same result for every step size', async () => {
      await addContracts(fixture.server, fixture.server.world.companies.alpha, fixture.priceListIds[0] ?? 0, 40)
      const singleStepOutcome = await readOutcome({ id: fixture.priceListIds[1] }, staff, createJobKinds(1000))
      expect(singleStepOutcome).toMatchObject({ contracts: 40, failing: 0 })
      expect(singleStepOutcome.largest).toHaveLength(20)
      for (const maxContracts of [1, 7, 40])
        expect(await readOutcome({ id: fixture.priceListIds[1] }, staff, createJobKinds(maxContracts))).toEqual(
          singleStepOutcome,
        )
    })

    test('continues after a kill, and leaves out contracts that are sold meanwhile', async () => {
      const { alpha: firstCompanyId, beta: secondCompanyId } = fixture.server.world.companies
      await addContracts(fixture.server, firstCompanyId, fixture.priceListIds[0] ?? 0, 40)
      const expected = await readOutcome({ id: fixture.priceListIds[1] })
      await startRehearsal({ id: fixture.priceListIds[1] })
      const [job] = await bypassPolicies(fixture.server.app.database, (db) =>
        db.selectFrom('job').select('input').where('end_time', 'is', null).execute(),
      )
      const kind = createRehearsalJob(10)
      const stepInput = { app: fixture.server.app, input: job?.input as RehearseInput, tries: 1 }
      const firstStep = await kind.step({ ...stepInput, point: null, reportProgress: async () => undefined })
      if (firstStep.kind !== 'on') throw new Error('it was over at once')
      expect([firstStep.percent, firstStep.info]).toEqual([25, { name: '', message: '10 / 40' }])
      const storedPoint = JSON.stringify(firstStep.point)
      await addContracts(fixture.server, secondCompanyId, fixture.priceListIds[0] ?? 0, 40)
      let point = JSON.parse(storedPoint)
      for (let stepCount = 1; ; stepCount++) {
        const step = await kind.step({ ...stepInput, point, reportProgress: async () => undefined })
        // A step does not change its input, because it may be retried.
        if (stepCount === 1) expect(JSON.stringify(point)).toBe(storedPoint)
        if (step.kind === 'done') {
          expect([stepCount, step.output.contracts, step.output.currencies]).toEqual([4, 40, expected.currencies])
          break
        }
        point = step.point
      }
    })

    nightly(
      'takes under 5 s of CPU for 10,000 contracts, reports progress and does not block other requests',
      async () => {
        await addContracts(fixture.server, fixture.server.world.companies.alpha, fixture.priceListIds[0] ?? 0, 10_000)
        const startResponse = await startRehearsal({ id: fixture.priceListIds[1] })
        const percents = new Set<number>()
        let isOver = false
        const pollProgress = async () => {
          while (!isOver) {
            const { body } = await readJobStatus(staff, String(startResponse.headers.location))
            percents.add(JSON.parse(body).percent)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        }
        // This is the CPU time of this process. It includes the embedded database, but no other work on the machine.
        const cpuAtStart = process.cpuUsage()
        const pollPromise = pollProgress()
        await runAllJobs(fixture.server, requestJobKinds)
        const { user, system } = process.cpuUsage(cpuAtStart)
        isOver = true
        await pollPromise
        const outcome = (await readJobStatus(staff, String(startResponse.headers.location))).json()
        expect(outcome.contracts).toBe(10_000)
        expect((user + system) / 1000).toBeLessThan(5000)
        // Several poll requests were answered between the twenty steps.
        expect(percents.size).toBeGreaterThan(3)
      },
      60_000,
    )
  })
})
