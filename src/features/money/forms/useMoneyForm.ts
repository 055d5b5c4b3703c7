import { type RefObject, useRef, useState } from 'react'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import { showDoneToast } from '#patterns/action-toast.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { isOutcomeUnknown } from '#state/use-action.ts'

export type FormFaults<F extends string> = Partial<Record<F, string>>

interface MoneyFormOptions<F extends string, I> {
  /** The element with the fields. */
  formRef: RefObject<HTMLDivElement | null>
  /** In the order of the form. The first one with a fault gets the focus. */
  fields: readonly F[]
  initialValues: Record<F, string>
  /** Returns the text of the fault of each field that has one. */
  findFaults: (values: Record<F, string>) => FormFaults<F>
  /** Returns the text of a fault that only the server has found. */
  formatServerFault: (field: F, code: string) => string
  toInput: (values: Record<F, string>) => I
  action: {
    isBusy: boolean
    problem: Problem | null
    run: (input: I, options?: CallOptions) => Promise<CallResult<unknown>>
  }
  doneText: (values: Record<F, string>) => string
  onDone: () => void
}

export interface MoneyForm<F extends string> {
  values: Record<F, string>
  faults: FormFaults<F>
  change: (name: F, value: string) => void
  send: () => Promise<void>
  isBusy: boolean
  /** Whether something was typed. */
  isDirty: boolean
  /** Null if the problem is displayed at its fields. */
  problem: Problem | null
  /** Whether an attempt failed. What the page displays may then be old. */
  hasFailed: boolean
  /** Whether the last attempt may have taken effect. The next one with the same values takes effect only once. */
  isUnknown: boolean
}

/** Also true for the response of a proxy, and of a server that is shutting down. */
export const mayHaveTakenEffect = (problem: Problem): boolean =>
  isOutcomeUnknown(problem) || problem.code === 'BLOCKED_BY_PROXY' || problem.status >= 500

/** State of a form about money. What is typed stays after any outcome. */
export function useMoneyForm<F extends string, I>(options: MoneyFormOptions<F, I>): MoneyForm<F> {
  const { formRef, fields, action } = options
  const lostRef = useRef<{ intent: string; inputJson: string } | null>(null)
  const [values, setValues] = useState(options.initialValues)
  const [faults, setFaults] = useState<FormFaults<F>>({})
  const [hasFailed, setHasFailed] = useState(false)

  function showFaults(newFaults: FormFaults<F>) {
    setFaults(newFaults)
    const firstName = fields.find((name) => newFaults[name])
    // The picker of a company has the name of the field without `_id`.
    const selector = firstName && `[name=${firstName}], [name=${firstName.replace(/_id$/, '')}]`
    if (selector) formRef.current?.querySelector<HTMLElement>(selector)?.focus()
  }

  function toFaults(problem: Problem): FormFaults<F> {
    const problems = getFieldProblems(problem)
    return Object.fromEntries(
      fields.flatMap((name) => {
        const fault = problems.find(({ field }) => field === name)
        return fault ? [[name, options.formatServerFault(name, fault.code)]] : []
      }),
    ) as FormFaults<F>
  }

  async function send() {
    const newFaults = options.findFaults(values)
    if (Object.keys(newFaults).length > 0) return showFaults(newFaults)
    const input = options.toInput(values)
    const inputJson = JSON.stringify(input)
    const intent = lostRef.current?.inputJson === inputJson ? lostRef.current.intent : crypto.randomUUID()
    const result = await action.run(input, { intent })
    if (result.kind === 'problem') {
      setHasFailed(true)
      lostRef.current = mayHaveTakenEffect(result.problem) ? { intent, inputJson } : null
      return showFaults(toFaults(result.problem))
    }
    showDoneToast(result, options.doneText(values))
    options.onDone()
  }

  const { problem } = action
  return {
    values,
    faults,
    change(name, value) {
      setValues((current) => ({ ...current, [name]: value }))
      setFaults((current) => ({ ...current, [name]: undefined }))
    },
    send,
    isBusy: action.isBusy,
    isDirty: fields.some((name) => values[name] !== options.initialValues[name]),
    problem: problem && Object.keys(toFaults(problem)).length > 0 ? null : problem,
    hasFailed,
    isUnknown: problem !== null && mayHaveTakenEffect(problem),
  }
}
