import { type FormEvent, type ReactNode, useId, useMemo, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { createConfirmCode } from '#ui/form/confirm-code.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'

export interface TypedConfirmationProps {
  open: boolean
  title: string
  children: ReactNode
  /** Text that the user must type exactly, and its label: "E-mail". */
  value: string
  label: string
  actionLabel: string
  isBusy: boolean
  problem: Problem | null
  onConfirm: () => void
  onClose: () => void
}

const splitIntoGroups = (code: string) => code.match(/.{4}/g) ?? []
/** Compares the codes without spaces, which only group the code for reading. */
const isSameCode = (typedCode: string, code: string) => typedCode.replaceAll(/\s/g, '') === code

const blockedEvents = {
  onPaste: (event: { preventDefault: () => void }) => event.preventDefault(),
  onDrop: (event: { preventDefault: () => void }) => event.preventDefault(),
}

/** Confirms an irreversible action: the user types a text, such as a name, and a code. Only here pasting and dropping are blocked (M52). */
export function TypedConfirmation(props: TypedConfirmationProps) {
  return props.open ? <OpenTypedConfirmation {...props} /> : null
}

function OpenTypedConfirmation({
  title,
  children,
  value,
  label,
  actionLabel,
  isBusy,
  problem,
  onConfirm,
  onClose,
}: TypedConfirmationProps) {
  const { t } = useTranslation('ui')
  const formId = useId()
  const code = useMemo(() => createConfirmCode((bytes) => crypto.getRandomValues(bytes)), [])
  const [typedTexts, setTypedTexts] = useState({ value: '', code: '' })
  const [mismatches, setMismatches] = useState<{ value: boolean; code: boolean }>({ value: false, code: false })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const newMismatches = { value: typedTexts.value !== value, code: !isSameCode(typedTexts.code, code) }
    setMismatches(newMismatches)
    if (!newMismatches.value && !newMismatches.code) onConfirm()
    else document.querySelector<HTMLElement>(`[name=${newMismatches.value ? 'typed-value' : 'typed-code'}]`)?.focus()
  }
  const confirmButton = (
    <Button kind="danger" type="submit" form={formId} isBusy={isBusy}>
      {actionLabel}
    </Button>
  )
  return (
    <Dialog open title={title} onClose={onClose} action={confirmButton}>
      <form id={formId} className="form" noValidate onSubmit={submit}>
        <ProblemNote problem={problem} shouldFocus />
        <div className="confirm-loss">{children}</div>
        <Field
          name="typed-value"
          label={label}
          help={t('confirm.typeValue', { value })}
          error={mismatches.value ? t('confirm.wrong') : null}
          value={typedTexts.value}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTypedTexts({ ...typedTexts, value: event.target.value })}
          {...blockedEvents}
        />
        <Field
          name="typed-code"
          label={t('confirm.code')}
          help={
            <span className="confirm-code">
              {splitIntoGroups(code).map((group, index) => (
                // biome-ignore lint: the groups of one code never move
                <code key={index}>{group}</code>
              ))}
            </span>
          }
          error={mismatches.code ? t('confirm.wrong') : null}
          value={typedTexts.code}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTypedTexts({ ...typedTexts, code: event.target.value })}
          {...blockedEvents}
        />
      </form>
    </Dialog>
  )
}
