/** Modules: what customers choose. Hidden ones join by their conditions and cost nothing (D5, D77). */

/** A module that waits on this device, as it will look. A hidden one without a code is given one by the server (D80). */
export const cataloguedHere = <F extends { name: string; code?: string | undefined }>(
  fields: F,
  named: { intent: string },
) => ({
  type: 'saas' as const,
  hidden: false,
  dependencies: [],
  conditions: [],
  any_condition: false,
  apps: [],
  ...fields,
  code: fields.code ?? '',
  id: `~${named.intent}` as const,
  version: '',
  create_time: '',
  row_version: 0,
})
