import { type ComponentProps, type InputEvent, type InputEventHandler, type ReactNode, useId, useState } from 'react'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Properties that all fields have: the label above, help, the error next to the field, and a reason if the field is locked. */
export interface LabelledFieldProps {
  label: string
  help?: ReactNode
  error?: string | null | undefined
  /**
   * Reason why the field is locked; the value stays readable. An empty text locks the field without a reason, because the form shows one
   * reason for all fields.
   */
  lockReason?: string | null | undefined
  optional?: boolean | undefined
}

export const isFieldLocked = ({ lockReason }: Pick<LabelledFieldProps, 'lockReason'>): boolean =>
  typeof lockReason === 'string'

export interface SizedFieldProps extends LabelledFieldProps {
  /** Marks the field as required, for forms in which most fields are optional. */
  required?: boolean | undefined
  size?: 'figures' | 'date' | 'code' | undefined
}

export interface ControlProps {
  id: string
  'aria-invalid'?: true | undefined
  'aria-describedby'?: string | undefined
}

export function FieldFrame({
  label,
  help,
  error,
  lockReason,
  optional,
  required,
  size,
  className,
  children,
}: SizedFieldProps & { className?: string; children: (controlProps: ControlProps) => ReactNode }) {
  const id = useId()
  const { t } = useTranslation('ui')
  const helpText = lockReason || help
  const noteIds = joinTexts(error && `${id}-error`, helpText && `${id}-help`)
  return (
    <div className={joinTexts('field', className, size && `for-${size}`, error && 'wrong')}>
      <label htmlFor={id} data-required={required ? t('field.required') : undefined}>
        {label}
        {optional && <span className="field-optional">{t('field.optional')}</span>}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': noteIds || undefined })}
      <FieldNotes {...{ id, error, helpText }} isLocked={Boolean(lockReason)} />
    </div>
  )
}

const joinTexts = (...texts: unknown[]) => texts.filter(Boolean).join(' ')

interface FieldNotesProps {
  id: string
  error: string | null | undefined
  helpText: ReactNode
  isLocked: boolean
}

const FieldNotes = ({ id, error, helpText, isLocked }: FieldNotesProps) => (
  <>
    {error && (
      <p className="field-error" id={`${id}-error`}>
        <Icon name="alert" size={16} />
        {error}
      </p>
    )}
    {helpText && (
      <p className="field-help" id={`${id}-help`}>
        {isLocked && <Icon name="lock" size={16} />}
        {typeof helpText === 'string' ? <TextWithDates text={helpText} /> : helpText}
      </p>
    )}
  </>
)

type InputProps = Omit<
  ComponentProps<'input'>,
  'type' | 'id' | 'className' | 'disabled' | 'readOnly' | 'size' | 'required'
>

export interface FieldProps extends SizedFieldProps, InputProps {
  type?: 'text' | 'email' | 'url' | 'search'
}

// Properties for the matching on-screen keyboard, without automatic capitals (T-05).
const keyboardsByType: Partial<Record<NonNullable<FieldProps['type']>, InputProps>> = {
  email: { inputMode: 'email', autoCapitalize: 'none', spellCheck: false },
  url: { inputMode: 'url', autoCapitalize: 'none', spellCheck: false },
}

/** Number of characters above the limit that are still accepted, so that users see the error and lose no text. */
const extraLength = 1_000

interface LimitedField<E> {
  /** Omitted if React does not control the field. */
  value?: unknown
  error?: string | null | undefined
  onInput?: InputEventHandler<E> | undefined
}

/** Replaces `maxLength`: displays an error above the limit instead of cutting off text. Other errors have priority. */
export function useLengthLimit<E extends HTMLInputElement | HTMLTextAreaElement>(
  limit: number | undefined,
  { value, error, onInput }: LimitedField<E>,
) {
  const { t } = useTranslation('ui')
  const [typedLength, setTypedLength] = useState(0)
  if (limit === undefined) return { error, input: { onInput } }
  const length = typeof value === 'string' ? value.length : typedLength
  return {
    error: error || (length > limit ? t('field.tooLong', { limit }) : error),
    input: {
      maxLength: limit + extraLength,
      onInput(event: InputEvent<E>) {
        setTypedLength(event.currentTarget.value.length)
        onInput?.(event)
      },
    },
  }
}

/** A single-line text field. Other props go to the input: `<Field label={…} {...fieldProps} />`. */
export function Field({ label, help, lockReason, optional, required, size, type = 'text', ...inputProps }: FieldProps) {
  const { error: ownError, maxLength, onInput, ...input } = inputProps
  const { error, input: limitProps } = useLengthLimit(maxLength, { value: input.value, error: ownError, onInput })
  return (
    <FieldFrame {...{ label, help, error, lockReason, size, optional, required }}>
      {(controlProps) => (
        <input
          className="input"
          type={type}
          required={required}
          readOnly={isFieldLocked({ lockReason })}
          {...keyboardsByType[type]}
          {...input}
          {...limitProps}
          {...controlProps}
        />
      )}
    </FieldFrame>
  )
}

type PasswordFieldProps = Omit<LabelledFieldProps, 'lockReason'> & InputProps

/** A password field with a show button. Pasting and password managers work. */
export function PasswordField({ label, help, error, optional, ...input }: PasswordFieldProps) {
  const { t } = useTranslation('ui')
  const [isVisible, setIsVisible] = useState(false)
  return (
    <FieldFrame {...{ label, help, error, optional }}>
      {(controlProps) => (
        <div className="input-group">
          <input
            className="input"
            type={isVisible ? 'text' : 'password'}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            {...input}
            {...controlProps}
          />
          <button
            type="button"
            className="input-button"
            aria-pressed={isVisible}
            aria-label={t('field.showPassword')}
            onClick={() => setIsVisible(!isVisible)}
          >
            <Icon name={isVisible ? 'hidden' : 'seen'} />
          </button>
        </div>
      )}
    </FieldFrame>
  )
}
