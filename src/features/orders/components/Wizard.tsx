import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { isProvider, type ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { tidyText } from '#domain/text.ts'
import type { OrderRow } from '#contract/orders.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { Amount } from '#ui/Amount.tsx'
import { Button } from '#ui/Button.tsx'
import { LeaveQuestion, useHeldWay } from '#ui/Leaving.tsx'
import { useWords } from '#ui/words.ts'
import { DraftNote } from '#features/orders/components/DraftNote.tsx'
import { Finish } from '#features/orders/components/Finish.tsx'
import { Information } from '#features/orders/components/Information.tsx'
import { ModuleChoice } from '#features/orders/components/ModuleChoice.tsx'
import { OrderStep } from '#features/orders/components/OrderStep.tsx'
import { PriceAside } from '#features/orders/components/PriceAside.tsx'
import { StageNotes } from '#features/orders/components/StageNotes.tsx'
import { Steps } from '#features/orders/components/Steps.tsx'
import { UnpaidNote } from '#features/orders/components/UnpaidNote.tsx'
import { useCode } from '#features/orders/components/useCode.ts'
import type { KeptDraft } from '#features/orders/components/useDraft.ts'
import { useLatest } from '#features/orders/components/useLatest.ts'
import { useOrdering } from '#features/orders/components/useOrdering.ts'
import { useQuote } from '#features/orders/components/useQuote.ts'
import type { OwnUnpaid } from '#features/orders/components/useUnpaid.ts'
import type { Agreed, Step } from '#features/orders/drafting.ts'
import { type AnyProblem, orderFieldWords } from '#features/orders/field-words.ts'
import { checkInformation, checkModuleStep, stepOf, type Values, wishOf } from '#features/orders/form.ts'
import { createHand } from '#features/orders/hand.ts'
import { amountAfter, type Market, reckon, shownOf } from '#features/orders/quoting.ts'

interface Props {
  market: Market
  currencies: readonly Currency[]
  type: ClientType
  today: string
  kept: KeptDraft
  unpaid: readonly OwnUnpaid[]
}

/** The four steps. What stands typed is the draft's, so that a reload finds it where it was. */
export function Wizard({ market, currencies, type, today, kept, unpaid }: Props) {
  const t = useWords('wizard')
  const { caller } = useSignedIn()
  const { line } = useConnection()
  const { draft, change } = kept
  const { values, step, ordered } = draft
  const [problems, setProblems] = useState<readonly AnyProblem[]>([])
  const [made, setMade] = useState<OrderRow | null>(null)
  const unpaidWith = (code: string) => unpaid.find((one) => one.code === tidyText(code)) ?? null
  const own = unpaidWith(values.code)
  const code = useCode(values.code, own !== null)
  const wish = useMemo(() => wishOf(values), [values])
  const quote = useQuote(market, wish)
  const { reckoned } = quote
  const [hand] = useState(createHand)
  const reckonAt = (users: string) => {
    const wish = wishOf({ ...values, users })
    return wish && reckon(market, wish, today)
  }
  const here = useMemo<Agreed | null>(
    () =>
      reckoned?.is === 'figure'
        ? { shown: shownOf(reckoned.figure, market.list), effective_date: market.list.effective_date }
        : null,
    [reckoned, market],
  )
  const goTo = (to: Step) => change((now) => ({ ...now, step: to }))
  const refuse = (found: readonly AnyProblem[]) => {
    setProblems(found)
    const [first] = found
    if (first) goTo(stepOf(first.field))
  }
  const way = useOrdering({ kept, type, quote, here, unpaidWith, onOrdered: setMade, onRefused: refuse })
  const { isAsked, stay, leave } = useHeldWay(kept.unkept)
  const frame = useArrival(step, problems)

  const fill = useLatest((fields: Partial<Values>) => {
    change((now) => ({ ...now, values: { ...now.values, ...fields }, agreed: null }))
    setProblems((now) =>
      now.some(({ field }) => field in fields) ? now.filter(({ field }) => !(field in fields)) : now,
    )
    way.calm()
  })
  const leaveCode = useLatest(() => void code.look().then((free) => !free && setProblems(occupied)))

  async function next(event: FormEvent) {
    event.preventDefault()
    const found = checkInformation(values, market, today)
    if (found.length > 0) return refuse(found)
    if (!(await code.look())) return refuse([{ field: 'code', code: 'DUPLICATE' }])
    goTo(1)
  }
  function order() {
    const found = [...checkInformation(values, market, today), ...checkModuleStep(values, market)]
    if (found.length > 0) return refuse(found)
    void way.begin()
  }
  const wrongModules = problems.find(({ field }) => field === 'modules')
  const figure = reckoned?.is === 'figure' ? reckoned.figure : null
  const isBusy = way.stage.is === 'sending'

  return (
    <div className="wizard" ref={frame}>
      <Steps now={step} />
      {step < 2 && <DraftNote keptAt={kept.keptAt} unkept={kept.unkept} discard={kept.discard} />}
      {isAsked && <LeaveQuestion onStay={stay} onLeave={leave} />}
      {step < 2 && <UnpaidNote unpaid={unpaid} code={own ? values.code : null} ordered={ordered} />}
      <div className={step < 2 ? 'wizard-columns' : ''}>
        {step === 0 && (
          <form className="card form" noValidate onSubmit={(event) => void next(event)}>
            <h2 tabIndex={-1}>{t('steps.0')}</h2>
            <Information
              values={values}
              onChange={fill}
              onLeaveCode={leaveCode}
              codeState={code.state === 'taken' ? 'unasked' : code.state}
              problems={problems}
              market={market}
              hand={hand}
              currencies={currencies}
              today={today}
              isStaff={isProvider(caller)}
            />
            <div className="page-form-acts">
              <Button kind="primary" type="submit">
                {t('next')}
              </Button>
            </div>
          </form>
        )}
        {step === 1 && (
          <section className="card form">
            <h2 tabIndex={-1}>{t('steps.1')}</h2>
            <ModuleChoice
              market={market}
              currency={values.currency}
              chosen={values.modules}
              onChange={(modules) => fill({ modules })}
              amountOf={(modules) => (wish ? amountAfter(market, wish, today, modules) : null)}
              error={wrongModules && orderFieldWords(wrongModules, '')}
            />
            <StageNotes way={way} currency={values.currency} agreed={draft.agreed} code={values.code} />
            {way.stage.is !== 'confirm' && way.stage.is !== 'waiting' && (
              <div className="page-form-acts">
                <Button kind="primary" busy={isBusy} onClick={order}>
                  {t(line === 'online' ? 'order.at' : 'order.later')}
                  {figure && values.modules.length > 0 && (
                    <>
                      {' · '}
                      <Amount currency={figure.currency} amount={figure.amount} />
                    </>
                  )}
                </Button>
                <Button onClick={() => goTo(0)}>{t('back')}</Button>
              </div>
            )}
          </section>
        )}
        {step < 2 && (
          <PriceAside
            market={market}
            reckoned={reckoned}
            hand={hand}
            reckonAt={reckonAt}
            offline={line !== 'online'}
            hasModules={values.modules.length > 0}
          />
        )}
      </div>
      {step === 2 && ordered !== null && (
        <OrderStep
          id={ordered}
          made={made}
          told={quote.told}
          market={market}
          onBack={() => goTo(1)}
          onPaid={(paid) => {
            setMade(paid)
            goTo(3)
          }}
          onGone={() => change((now) => ({ ...now, step: 1, ordered: null }))}
        />
      )}
      {step === 3 && <Finish order={made} today={today} onAgain={kept.discard} />}
    </div>
  )
}

const occupied: readonly AnyProblem[] = [{ field: 'code', code: 'DUPLICATE' }]

/** The focus goes to the step that has come, or to the first field that is wrong. */
function useArrival(step: Step, problems: readonly AnyProblem[]) {
  const frame = useRef<HTMLDivElement>(null)
  const last = useRef(step)
  useEffect(() => {
    if (last.current === step) return
    last.current = step
    scrollTo(0, 0)
    frame.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }, [step])
  useEffect(() => {
    if (problems.length > 0) frame.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [problems])
  return frame
}
