/** What the API answers about accounts. */
export type Session = {
  id: string;
  current: boolean;
  ipAddress: string;
  userAgent: string;
  createdAt: string;
  updatedAt: string;
  expiresAt: string;
};

export type Token = {
  id: string;
  name: string;
  scope: 'read' | 'write';
  expiresAt: string | null;
  lastUsedAt: string | null;
  createdAt: string;
};

/** The answer to making one; its text is never told again. */
export type NewToken = Token & { token: string };
