/** Tests refunds that a gateway does not accept: the staff see why, and can withdraw them if the gateway has no such refund. */
import { expect, test } from 'vitest'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'

eachEngineByNight('refunds that wait', (engine) => {
  const setup = setUpRefunds(engine)
  const { actors, fixture, balance, refund, runJobs, listDocuments, listRefunds, findFaults } = setup
  const listRows = async () =>
    (await actors.staff.send({ method: 'GET', url: '/api/payment/refunds' })).json().refunds as { problem: string }[]
  const withdraw = (id: number) =>
    actors.staff.send({ method: 'POST', url: `/api/payment/refunds/${id}/withdraw`, payload: {} })
  const advance = async (ms: number) => {
    fixture.server.clock.now += ms
    await runJobs()
  }
  const getFaults = () => actors.paymentSandbox.sandbox.faults

  test('are withdrawn after a minute, and their amount is free again', async () => {
    const invoice = await setup.payInvoice()
    const before = balance()
    getFaults().fail = 100
    const { id } = (await refund(invoice)).json() as { id: number }
    await runJobs()
    expect((await listRows())[0]).toMatchObject({ state: 'requested', problem: expect.stringMatching(/./) })
    expect((await withdraw(id)).json()).toMatchObject({ state: 'requested' })
    expect((await withdraw(id)).statusCode).toBe(409)
    getFaults().fail = 0
    await advance(30_000)
    expect(await listRefunds()).toMatchObject([{ state: 'requested' }])
    await advance(40_000)
    expect(await listRefunds()).toMatchObject([{ state: 'failed', problem: 'the staff withdrew the refund' }])
    expect([balance(), (await listDocuments())[0]?.refunding]).toEqual([before, '0.00'])
    expect(await findFaults()).toEqual([])
  })

  test('are done if the gateway has them after all', async () => {
    const invoice = await setup.payInvoice()
    const before = balance()
    const { id } = (await refund(invoice)).json() as { id: number }
    getFaults().loseAnswers = 100
    await runJobs()
    getFaults().loseAnswers = 0
    expect(await listRefunds()).toMatchObject([{ state: 'requested' }])
    await withdraw(id)
    await advance(62_000)
    expect(await listRefunds()).toMatchObject([{ state: 'done' }])
    expect(balance()).toBe(before - 10_000)
    expect(await findFaults()).toEqual([])
  })
})
