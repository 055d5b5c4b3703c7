import { useState } from 'react'
import type { AppRow } from '#contract/apps.ts'
import type { ModuleApp } from '#domain/checks/module-checks.ts'
import { CheckField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'

type Flag = AppRow['flag'][number]

interface Props {
  app: ModuleApp
  flags: readonly Flag[]
  onChange: (app: ModuleApp) => void
}

/** Undefined: it is not told. Not by what every object answers to: a flag may be called `toString`. */
const toldOf = ({ flag }: ModuleApp, key: string) => (Object.hasOwn(flag, key) ? flag[key] : undefined)

/** What an app can be told, each by its type; what is not told has the default (contracts 3). */
export function FlagFields({ app, flags, onChange }: Props) {
  const { t } = useTranslation('modules')
  const tell = (key: string, value: boolean | number | undefined) => {
    const { [key]: _, ...others } = app.flag
    onChange({ ...app, flag: value === undefined ? others : { ...others, [key]: value } })
  }
  const strange = Object.keys(app.flag).filter((key) => !flags.some((flag) => flag.key === key))
  if (flags.length + strange.length === 0) return <p className="field-help">{t('flags.none')}</p>
  return (
    <div className="module-flags">
      {flags.map((flag) =>
        flag.type === 'boolean' ? (
          <CheckField
            key={flag.key}
            name={`${app.code}.${flag.key}`}
            label={flag.name}
            help={t('flags.defaultIs', { value: t(flag.default ? 'flags.on' : 'flags.off') })}
            checked={(toldOf(app, flag.key) ?? flag.default) === true}
            onChange={({ target }) => tell(flag.key, target.checked)}
          />
        ) : (
          <IntFlag key={flag.key} app={app} flag={flag} onTell={(value) => tell(flag.key, value)} />
        ),
      )}
      {strange.map((key) => (
        <CheckField
          key={key}
          name={`${app.code}.${key}`}
          label={key}
          help={t('flags.strange')}
          checked
          onChange={() => tell(key, undefined)}
        />
      ))}
    </div>
  )
}

function IntFlag({ app, flag, onTell }: { app: ModuleApp; flag: Flag; onTell: (value: number | undefined) => void }) {
  const { t } = useTranslation('modules')
  const told = toldOf(app, flag.key)
  const [typed, setTyped] = useState(told === undefined ? '' : String(told))
  const isWhole = typed === '' || (/^-?\d{1,10}$/.test(typed) && Math.abs(Number(typed)) <= 2_147_483_647)
  return (
    <Field
      name={`${app.code}.${flag.key}`}
      label={flag.name}
      inputMode="numeric"
      autoComplete="off"
      placeholder={String(flag.default)}
      help={t('flags.defaultIs', { value: String(flag.default) })}
      error={isWhole ? null : t('flags.whole')}
      value={typed}
      onChange={({ target }) => {
        const text = target.value.trim()
        setTyped(text)
        // What is no number is kept as it was typed, and refused when it is saved.
        onTell(text === '' ? undefined : Number(text))
      }}
    />
  )
}
