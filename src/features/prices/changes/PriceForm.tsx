import '#ui/form/forms.css'
import type { FocusEventHandler } from 'react'
import type { PageFormProps } from '#ui/form/PageForm.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { onUndoKey } from '#features/prices/changes/OldValue.tsx'

interface Props extends Pick<PageFormProps, 'problem' | 'failureTitle' | 'onSubmit' | 'children'> {
  id: string
  /** A withdrawn list cannot be changed, so it is no form. */
  isReadOnly: boolean
  onBlur: FocusEventHandler<HTMLElement>
}

/** The fields of a price list. Its buttons are in the `EditorBar`, which stays in view. */
export function PriceForm({ id, isReadOnly, problem, failureTitle, onSubmit, onBlur, children }: Props) {
  if (isReadOnly) return <div className="card form page-form">{children}</div>
  return (
    <form id={id} className="card form page-form" noValidate {...{ onSubmit, onBlur }} onKeyDown={onUndoKey}>
      <ProblemNote problem={problem} title={failureTitle} shouldFocus />
      <ErrorSummary />
      {children}
    </form>
  )
}
