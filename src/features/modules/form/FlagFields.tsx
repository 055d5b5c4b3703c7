import { useState } from 'react'
import type { AppRow } from '#contract/staff/apps.ts'
import type { ModuleApp } from '#domain/checks/module-checks.ts'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'

type AppFlag = AppRow['flag'][number]

interface FlagFieldsProps {
  app: ModuleApp
  flags: readonly AppFlag[]
  onChange: (app: ModuleApp) => void
}

/** Returns undefined if the flag is not set. Ignores inherited properties: a flag may be called `toString`. */
const getFlagValue = ({ flag }: ModuleApp, key: string) => (Object.hasOwn(flag, key) ? flag[key] : undefined)

/** Shows an input for each setting of an app, by the setting's type. A setting without a value has the default (contracts 3). */
export function FlagFields({ app, flags, onChange }: FlagFieldsProps) {
  const { t } = useTranslation('modules')
  const setFlag = (key: string, value: boolean | number | undefined) => {
    const { [key]: _, ...otherFlags } = app.flag
    onChange({ ...app, flag: value === undefined ? otherFlags : { ...otherFlags, [key]: value } })
  }
  const unknownKeys = Object.keys(app.flag).filter((key) => !flags.some((flag) => flag.key === key))
  if (flags.length + unknownKeys.length === 0) return <p className="field-help">{t('flags.none')}</p>
  return (
    <div className="module-flags">
      {flags.map((flag) =>
        flag.type === 'boolean' ? (
          <CheckField
            key={flag.key}
            name={`${app.code}.${flag.key}`}
            label={flag.name}
            help={t('flags.defaultIs', { value: t(flag.default ? 'flags.on' : 'flags.off') })}
            checked={(getFlagValue(app, flag.key) ?? flag.default) === true}
            onChange={({ target }) => setFlag(flag.key, target.checked)}
          />
        ) : (
          <IntFlag key={flag.key} app={app} flag={flag} onChange={(value) => setFlag(flag.key, value)} />
        ),
      )}
      {unknownKeys.map((key) => (
        <CheckField
          key={key}
          name={`${app.code}.${key}`}
          label={key}
          help={t('flags.strange')}
          checked
          onChange={() => setFlag(key, undefined)}
        />
      ))}
    </div>
  )
}

function IntFlag({
  app,
  flag,
  onChange,
}: {
  app: ModuleApp
  flag: AppFlag
  onChange: (value: number | undefined) => void
}) {
  const { t } = useTranslation('modules')
  const currentValue = getFlagValue(app, flag.key)
  const [typedText, setTypedText] = useState(currentValue === undefined ? '' : String(currentValue))
  const isInteger = typedText === '' || (/^-?\d{1,10}$/.test(typedText) && Math.abs(Number(typedText)) <= 2_147_483_647)
  return (
    <Field
      name={`${app.code}.${flag.key}`}
      label={flag.name}
      inputMode="numeric"
      autoComplete="off"
      placeholder={String(flag.default)}
      help={t('flags.defaultIs', { value: String(flag.default) })}
      error={isInteger ? null : t('flags.whole')}
      value={typedText}
      onChange={({ target }) => {
        const text = target.value.trim()
        setTypedText(text)
        // A text that is not a number stays as typed, and is refused when the form is saved.
        onChange(text === '' ? undefined : Number(text))
      }}
    />
  )
}
