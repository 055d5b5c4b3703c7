import { useMemo, useState } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { cleanText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'
import {
  checkInformation,
  checkModuleStep,
  codeTakenProblem,
  getStepOfField,
  toRequestedOrder,
  type WizardValues,
} from '#features/orders/draft/wizard-form.ts'
import { usePayableFault } from '#patterns/usePayableFault.ts'
import type { OwnUnpaidOrder } from '#features/orders/payment/useUnpaidOrders.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { useQuote } from '#features/orders/quote/useQuote.ts'
import { getLastStep, useStep } from '#features/orders/wizard/state/useStep.ts'
import { useServiceCode } from '#features/orders/wizard/state/useServiceCode.ts'
import { useSubmitOrder } from '#features/orders/wizard/state/useSubmitOrder.ts'

export interface WizardInput {
  priceData: PriceData
  currencies: readonly Currency[]
  type: ClientType
  today: PlainDate
  draftState: WizardDraftState
  unpaidOrders: readonly OwnUnpaidOrder[]
}

function useWizardProblems() {
  const [problems, setProblems] = useState<readonly AnyFieldProblem[]>([])
  const [refusalCount, setRefusalCount] = useState(0)
  return {
    problems,
    refusalCount,
    refuse(newProblems: readonly AnyFieldProblem[]) {
      setProblems(newProblems)
      setRefusalCount((count) => count + 1)
    },
    setFieldProblem: (problem: AnyFieldProblem) =>
      setProblems((current) => [...current.filter(({ field }) => field !== problem.field), problem]),
    clearFields: (fields: object) =>
      setProblems((current) =>
        current.some(({ field }) => field in fields) ? current.filter(({ field }) => !(field in fields)) : current,
      ),
  }
}

/** State shared by the wizard's steps. The values are part of the draft, so a reload restores them. */
export function useWizard(input: WizardInput) {
  const { priceData, type, today, draftState, unpaidOrders } = input
  const { draft, updateDraft } = draftState
  const { values } = draft
  const [step, goTo] = useStep(draftState, priceData, today)
  const { problems, refusalCount, ...fieldProblems } = useWizardProblems()
  const [createdOrder, setCreatedOrder] = useState<OrderRow | null>(null)
  const findUnpaidOrder = (code: string) => unpaidOrders.find((order) => order.code === cleanText(code)) ?? null
  const ownUnpaidOrder = findUnpaidOrder(values.code)
  const codeCheck = useServiceCode(values.code, ownUnpaidOrder !== null)
  const requestedOrder = useMemo(() => toRequestedOrder(values), [values])
  const quote = useQuote(priceData, requestedOrder)
  const fault = usePayableFault(quote.localFigure, { isWaivable: false })

  const showProblems = (newProblems: readonly AnyFieldProblem[]) => {
    fieldProblems.refuse(newProblems)
    const [first] = newProblems
    if (first) goTo(getStepOfField(first.field))
  }
  /** Shows the result. It replaces the history entry: if the browser's Back led to the form, the user could order twice. */
  const showResult = (order: OrderRow) => {
    setCreatedOrder(order)
    goTo(3, true, Number(order.id))
  }
  const submission = useSubmitOrder({
    draftState,
    type,
    priceData,
    quote,
    findUnpaidOrder,
    onOrdered(order) {
      if (order.state !== 'unpaid') return showResult(order)
      setCreatedOrder(order)
      goTo(2)
    },
    onRefused: showProblems,
  })
  const updateValues = useLatestCallback((fields: Partial<WizardValues>) => {
    updateDraft((current) => ({ ...current, values: { ...current.values, ...fields }, agreed: null }))
    fieldProblems.clearFields(fields)
    submission.reset()
  })
  const showCodeTaken = useLatestCallback((code: string) => {
    if (code === values.code) fieldProblems.setFieldProblem(codeTakenProblem)
  })
  const checkCode = useLatestCallback(() => {
    // An empty field is not reported before the step is submitted.
    if (values.code === '') return
    const codeProblem = checkInformation(values, priceData, today).find(({ field }) => field === 'code')
    if (codeProblem) return fieldProblems.setFieldProblem(codeProblem)
    void codeCheck.checkIsFree().then((isFree) => {
      if (!isFree) showCodeTaken(values.code)
    })
  })

  return {
    ...input,
    draft,
    values,
    step,
    goTo,
    problems,
    refusalCount,
    requestedOrder,
    quote,
    fault,
    submission,
    createdOrder,
    ownUnpaidOrder,
    codeState: codeCheck.state,
    updateValues,
    checkCode,
    showResult,
    async leaveDetails() {
      const newProblems = checkInformation(values, priceData, today)
      if (newProblems.length > 0) return showProblems(newProblems)
      if (!(await codeCheck.checkIsFree())) return showProblems([codeTakenProblem])
      goTo(1)
    },
    startOrder() {
      const newProblems = [...checkInformation(values, priceData, today), ...checkModuleStep(values, priceData)]
      if (newProblems.length > 0) return showProblems(newProblems)
      void submission.start()
    },
    forgetOrder() {
      updateDraft((current) => ({ ...current, ordered: null }))
      goTo(1, true)
    },
    continueDraft() {
      const acceptedDraft = draftState.acceptOffer()
      if (!acceptedDraft) return
      goTo(getLastStep(acceptedDraft, priceData, today) < acceptedDraft.step ? 0 : acceptedDraft.step)
    },
    discard() {
      draftState.discard()
      goTo(0, true)
    },
  }
}
export type WizardState = ReturnType<typeof useWizard>
