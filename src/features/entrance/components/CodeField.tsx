import type { ChangeEvent } from 'react'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'
import { normaliseServiceCode } from '#features/entrance/service-code.ts'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'

export type CodeError = 'REQUIRED' | 'RESERVED' | 'MISSING'

interface CodeFieldProps {
  code: string
  error: CodeError | null
  onChange: (code: string) => void
}

export function CodeField({ code, error, onChange }: CodeFieldProps) {
  const { t } = useTranslation('entrance')
  const errorMessages = {
    REQUIRED: () => formatFieldProblem({ code: 'REQUIRED' }, t('code')),
    RESERVED: () => t('reserved', { code: code.trim() }),
    MISSING: () => t('missing'),
  }
  const handleChange = ({ target }: ChangeEvent<HTMLInputElement>) => onChange(target.value.toLowerCase())
  return (
    <Field
      label={t('code')}
      size="code"
      name="code"
      value={code}
      help={t('help')}
      error={error && errorMessages[error]()}
      autoCapitalize="none"
      autoComplete="off"
      autoCorrect="off"
      spellCheck={false}
      enterKeyHint="search"
      maxLength={40}
      {...normaliseOnBlur({ onChange: handleChange }, normaliseServiceCode)}
    />
  )
}
