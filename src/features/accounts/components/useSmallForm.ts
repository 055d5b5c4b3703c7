import { useCallback, useEffect, useRef, useState } from 'react'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'

export interface SmallFieldProps {
  name: string
  label: string
  value: string
  error: string | null
  onChange: (event: { target: { value: string } }) => void
}

export type GetFieldProps<T> = (name: keyof T & string, label: string) => SmallFieldProps

export function useSmallForm<T extends object>(initialValues: T | (() => T)) {
  const [formValues, setFormValues] = useState(initialValues)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const [refusalCount, setRefusalCount] = useState(0)
  const formRef = useRef<HTMLFormElement>(null)

  // Runs only when the form is refused. While the user corrects it, the focus stays in the field in use.
  useEffect(() => {
    if (refusalCount > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusalCount])

  const changeFields = useCallback((fields: Partial<T>) => {
    setFormValues((current) => ({ ...current, ...fields }))
    setProblems((current) => current.filter(({ field }) => !(field in fields)))
  }, [])

  /** Marks the wrong fields and focuses the first. Returns whether the form may be sent. */
  const showProblems = useCallback((newProblems: readonly FieldProblem[]): boolean => {
    setProblems(newProblems)
    if (newProblems.length > 0) setRefusalCount((count) => count + 1)
    return newProblems.length === 0
  }, [])

  const getFieldProps: GetFieldProps<T> = (name, label) => {
    const problem = problems.find((candidate) => candidate.field === name)
    return {
      name,
      label,
      value: String(formValues[name]),
      error: problem ? formatFieldProblem(problem, label) : null,
      onChange: (event) => changeFields({ [name]: event.target.value } as unknown as Partial<T>),
    }
  }

  return {
    formValues,
    changeFields,
    problems,
    formRef,
    /** Unlike `showProblems`, does not move the focus. */
    setProblems,
    showProblems,
    getFieldProps,
  }
}
