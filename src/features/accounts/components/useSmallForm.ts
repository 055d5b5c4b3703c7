import { useCallback, useEffect, useRef, useState } from 'react'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { fieldWords } from '#ui/i18n/problem-messages.ts'

/** What stands typed in a small form, and what is wrong with it. */
export function useSmallForm<T extends object>(initial: T | (() => T)) {
  const [typed, setTyped] = useState(initial)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const [refusals, setRefusals] = useState(0)
  const form = useRef<HTMLFormElement>(null)

  // When the form is refused, and not while it is being mended: the focus stays where somebody types.
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusals])

  const type = (fields: Partial<T>) => {
    setTyped((now) => ({ ...now, ...fields }))
    setProblems((now) => now.filter(({ field }) => !(field in fields)))
  }

  /** Marks what is wrong and goes to the first; whether it may be sent. */
  const refuse = useCallback((found: readonly FieldProblem[]): boolean => {
    setProblems(found)
    if (found.length > 0) setRefusals((count) => count + 1)
    return found.length === 0
  }, [])

  return {
    typed,
    type,
    problems,
    form,
    /** Marks one more field, leaving the focus alone. */
    mark: (problem: FieldProblem) =>
      setProblems((now) => [...now.filter(({ field }) => field !== problem.field), problem]),
    refuse,
    /** What a field is given. */
    field(name: keyof T & string, label: string) {
      const problem = problems.find((one) => one.field === name)
      return {
        name,
        label,
        value: String(typed[name]),
        error: problem ? fieldWords(problem, label) : null,
        onChange: (event: { target: { value: string } }) =>
          type({ [name]: event.target.value } as unknown as Partial<T>),
      }
    },
  }
}
