import { find } from '#ui/i18n/i18n.ts'

/** A long request as its user calls it, by the endpoint that began it. Needs the texts of `activity`. */
export const jobName = (endpoint: string): string =>
  find('activity', `name.${endpoint}`) ?? find('activity', 'name.other') ?? ''
