/** Addresses of files at Slack: those of an export have a token that opens all files of the workspace. */

const SLACK_ADDRESS_PATTERN = /https?:\/\/(?:[\w-]+\.)*slack(?:-files|-edge)?\.com\/[^\s<>()]*/gi;
const TOKEN_PARAMETER_PATTERN = /([?&])t=[\w.%-]*(&?)/g;

/** Cuts the parameter `t`, the token, from all addresses at Slack in a text. */
export const withoutSlackFileTokens = (text: string): string =>
  text.replace(SLACK_ADDRESS_PATTERN, (address) =>
    address.replace(TOKEN_PARAMETER_PATTERN, (_, before: string, after: string) => (after === '' ? '' : before)),
  );
