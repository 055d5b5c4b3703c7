/**
 * How many mails a company may cause to addresses of its own choosing. Anybody can register a company, and what it is called and
 * whom it invites are its own words: without a limit it could have the portal mail strangers for it.
 */
const dayMs = 86_400_000

/** In an hour, of each kind: invitations, and resets asked for accounts that nobody has activated. */
export const mailsPerHour = { newCompany: 20, knownCompany: 200 }

/** So many days after it registered a company is known. */
const newCompanyDays = 7

/** Mails in an hour. Both in epoch ms; the provider's own company is known from its first day. */
export const getMaxMailsPerHour = (company: { registeredAt: number; isProvider: boolean }, now: number): number =>
  company.isProvider || now - company.registeredAt >= newCompanyDays * dayMs
    ? mailsPerHour.knownCompany
    : mailsPerHour.newCompany
