/** Stored trails of a device that has none, for tests that do not read them. */
export const noTrails = () => Promise.reject(new Error('nobody asks for the audit trail here'))
