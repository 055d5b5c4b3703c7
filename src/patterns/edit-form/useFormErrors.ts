import { useState } from 'react'
import { flushSync } from 'react-dom'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import type { EditFormOptions, FieldFault } from '#patterns/edit-form/edit-form-options.ts'
import type { FormValues } from '#patterns/edit-form/form-values.ts'
import type { InputErrors } from '#patterns/edit-form/input-props.ts'

type ErrorOptions<Fault extends FieldFault> = Pick<
  EditFormOptions<never, FormValues, object, Fault>,
  'formatFault' | 'getInputName' | 'findFaults' | 'hasInput' | 'showFaults'
>

/** The error messages of a form's inputs. `refusal` belongs to a write that was refused earlier. */
export function useFormErrors<Fault extends FieldFault>(
  options: ErrorOptions<Fault>,
  values: FormValues,
  refusal: Problem | null,
) {
  const getInputName = (fault: Fault): string => options.getInputName?.(fault) ?? fault.field
  const hasInput = (fault: Fault): boolean => options.hasInput?.(fault) ?? getInputName(fault) in values
  const toErrors = (faults: readonly Fault[]): InputErrors =>
    Object.fromEntries(
      faults
        .filter(hasInput)
        .map((fault) => [getInputName(fault), options.formatFault(fault)])
        .toReversed(),
    )
  function findFaults(problem: Problem | null): readonly Fault[] {
    if (!problem) return []
    const fieldFaults = getFieldProblems(problem) as readonly FieldFault[] as readonly Fault[]
    return options.findFaults?.(problem) ?? fieldFaults
  }
  const [errors, setErrors] = useState<InputErrors>(() => toErrors(findFaults(refusal)))
  return {
    errors,
    findFaults,
    clear: () => setErrors({}),
    isShownAtInputs(problem: Problem | null): boolean {
      const faults = findFaults(problem)
      return faults.length > 0 && faults.every(hasInput)
    },
    /** Marks the inputs and focuses the first of them. */
    show(faults: readonly Fault[], form: HTMLFormElement) {
      if (options.showFaults) return options.showFaults(faults)
      flushSync(() => setErrors(toErrors(faults)))
      form.querySelector<HTMLElement>('[aria-invalid=true], .wrong input, .wrong button')?.focus()
    },
    add: (fault: Fault) => setErrors((current) => ({ ...current, ...toErrors([fault]) })),
    /** Replaces the messages of these inputs. Other inputs keep theirs. */
    update(inputNames: readonly string[], faults: readonly Fault[]) {
      const nextErrors = toErrors(faults)
      setErrors((current) => ({
        ...current,
        ...Object.fromEntries(inputNames.map((name) => [name, nextErrors[name]])),
      }))
    },
  }
}
