import { useCallback, useEffect, useRef, useState } from 'react'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'

/** What stands typed in a small form, and what is wrong with it. */
export function useSmallForm<T extends object>(initialValues: T | (() => T)) {
  const [formValues, setFormValues] = useState(initialValues)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const [refusalCount, setRefusalCount] = useState(0)
  const formRef = useRef<HTMLFormElement>(null)

  // When the form is refused, and not while it is being mended: the focus stays where somebody types.
  useEffect(() => {
    if (refusalCount > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusalCount])

  const changeFields = (fields: Partial<T>) => {
    setFormValues((current) => ({ ...current, ...fields }))
    setProblems((current) => current.filter(({ field }) => !(field in fields)))
  }

  /** Marks what is wrong and goes to the first; whether it may be sent. */
  const showProblems = useCallback((newProblems: readonly FieldProblem[]): boolean => {
    setProblems(newProblems)
    if (newProblems.length > 0) setRefusalCount((count) => count + 1)
    return newProblems.length === 0
  }, [])

  return {
    formValues,
    changeFields,
    problems,
    formRef,
    /** Marks one more field, leaving the focus alone. */
    addProblem: (problem: FieldProblem) =>
      setProblems((current) => [...current.filter(({ field }) => field !== problem.field), problem]),
    showProblems,
    /** What a field is given. */
    getFieldProps(name: keyof T & string, label: string) {
      const problem = problems.find((candidate) => candidate.field === name)
      return {
        name,
        label,
        value: String(formValues[name]),
        error: problem ? formatFieldProblem(problem, label) : null,
        onChange: (event: { target: { value: string } }) =>
          changeFields({ [name]: event.target.value } as unknown as Partial<T>),
      }
    },
  }
}
